# Write the verdict as one comment on the pull request, found again by a hidden mark. Whatever happens, this step
# succeeds: a token that may only read, as that of a pull request from a fork, leaves the verdict in the step summary.
set -uo pipefail
number=$("$RUNNER_TEMP/quorate/bin/python" -c 'import json, os
print(json.load(open(os.environ["GITHUB_EVENT_PATH"], encoding="utf-8")).get("pull_request", {}).get("number", ""))') || number=
if [ -z "$number" ]; then
  echo "No pull request: the verdict is in the step summary."
  exit 0
fi
mark="<!-- quorate gate: $(printf %s "$QUORATE_NAME" | tr -cd 'A-Za-z0-9_.-') -->"
body=$RUNNER_TEMP/quorate-comment.md
{ echo "$mark"; cat "$QUORATE_PAGE"; } > "$body"
export QUORATE_MARK=$mark
find='.[] | select(.user.type == "Bot") | select(.body | startswith(env.QUORATE_MARK)) | .id'
if old=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$number/comments" --jq "$find" | head -n 1) && {
  if [ -n "$old" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" --field "body=@$body"
  else
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" --field "body=@$body"
  fi
}; then
  echo "The verdict is a comment on pull request $number."
else
  echo "::notice title=quorate gate::The comment could not be written, as from a fork; the verdict is in the step summary."
fi
exit 0
