// The theme keeps the scheme of the first visit; these pages follow the reader's screen, also when it changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.body.setAttribute("data-md-color-scheme", dark.matches ? "slate" : "default");
dark.addEventListener("change", followScheme);
followScheme();

// A browser breaks lines behind a hyphen: an option, --budget say, stays in one piece.
const keepWords = (place) => {
  const words = place.textContent.split(/(\s+)/);
  if (place.childElementCount || !words.some((word) => word.includes("-") && word.length < 30)) return;
  place.replaceChildren(...words.map((word) => {
    if (!word.includes("-") || word.length >= 30) return word;
    const whole = document.createElement("span");
    whole.className = "whole";
    whole.textContent = word;
    return whole;
  }));
};
for (const place of document.querySelectorAll("article :not(pre) > code, #planner-answer pre")) keepWords(place);
