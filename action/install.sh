# Install quorate into a virtual environment of its own: from this repository, or a version from the package index.
set -euo pipefail
if ! [[ $QUORATE_EXTRAS =~ ^[a-z,]*$ ]]; then
  echo "::error title=quorate gate::the input extras must be names with commas such as inspect,excel"
  exit 2
fi
extras=${QUORATE_EXTRAS:+[$QUORATE_EXTRAS]}
what=$GITHUB_ACTION_PATH$extras
if [ -n "$QUORATE_VERSION" ]; then
  if ! [[ $QUORATE_VERSION =~ ^[0-9][0-9A-Za-z.]*$ ]]; then
    echo "::error title=quorate gate::the input version must be a number such as 0.2.0"
    exit 2
  fi
  what="quorate$extras==$QUORATE_VERSION"
fi
"$QUORATE_BASE_PYTHON" -m venv "$RUNNER_TEMP/quorate"
"$RUNNER_TEMP/quorate/bin/python" -m pip install --quiet --disable-pip-version-check "$what"
