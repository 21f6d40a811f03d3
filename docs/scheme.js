// The theme keeps the scheme of the first visit; these pages follow the reader's screen, also when it changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.body.setAttribute("data-md-color-scheme", dark.matches ? "slate" : "default");
dark.addEventListener("change", followScheme);
followScheme();
