# Run the gate. This step always succeeds: the last one leaves with the code, after the comment is written.
# quorate itself writes the step summary, its outputs and the line beside the run.
set -uo pipefail
page=$RUNNER_TEMP/quorate-gate.md junit=$RUNNER_TEMP/quorate-gate.xml said=$RUNNER_TEMP/quorate-gate.txt
rm -f "$page" "$junit"
words=("$QUORATE_RATINGS")
[ -z "$QUORATE_ANSWERS" ] || words+=("$QUORATE_ANSWERS")
[ -z "$QUORATE_SYSTEMS" ] || words+=("--systems=$QUORATE_SYSTEMS")
[ -z "$QUORATE_BASELINE_FILE" ] || words+=("--baseline-file=$QUORATE_BASELINE_FILE")
[ -z "$QUORATE_METRIC" ] || words+=("--metric=$QUORATE_METRIC")
[ -z "$QUORATE_MARGIN" ] || words+=("--margin=$QUORATE_MARGIN")
[ "$QUORATE_STRICT" != true ] || words+=(--strict)
read -r -a more <<< "$QUORATE_OPTIONS"
"$RUNNER_TEMP/quorate/bin/python" -m quorate compare "${words[@]}" ${more[@]+"${more[@]}"} \
  --gate -o "$page" --junit "$junit" 2> "$said"
code=$?
cat "$said" >&2
if [ ! -f "$page" ]; then
  [ "$code" != 1 ] || code=70 # 1 is the verdict worse, which there is none of
  {
    [ "$code" = 0 ] && echo "⚪ **Nothing was compared yet.**" || echo "❌ **quorate could not compare the systems** (exit code $code)."
    echo
    sed 's/^/    /' "$said" | tail -n 20 | cut -c 1-1000
  } > "$page"
  cat "$page" >> "$GITHUB_STEP_SUMMARY"
fi
{
  echo "exit-code=$code"
  echo "page=$page"
  echo "junit=$junit"
} >> "$GITHUB_OUTPUT"
