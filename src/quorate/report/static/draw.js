const NARROW = 480; // pixels
const LONG = 18; // letters
const CROWD = 8; // points with names
const BESIDE = 960; // pixels of a window from which plots stand side by side, as the style sheet has it

// Draw every figure below an element from the JSON that stands behind it; plotly.js must be there.
async function drawPlots(root) {
  const config = {
    responsive: true,
    displaylogo: false,
    displayModeBar: document.querySelector(".no-inline-styles") ? false : "hover",
    modeBarButtons: [["toImage"]],
    toImageButtonOptions: { format: "svg", filename: "quorate" },
  };
  for (const place of root.querySelectorAll(".plot")) {
    const { data, layout } = JSON.parse(place.nextElementSibling.textContent);
    if (innerWidth >= BESIDE && place.dataset.beside) layout.height = Number(place.dataset.beside);
    place.style.minHeight = `${layout.height}px`;
    place.replaceChildren();
    if (place.clientWidth < NARROW) narrow(data, layout);
    await Plotly.newPlot(place, data, layout, config);
    place.on("plotly_afterplot", () => scale(place));
    scale(place);
    place.dataset.drawn = "yes";
  }
}

// On a phone long names take two lines, many points none and few numbers stand below, or a plot has no room left.
function narrow(data, layout) {
  for (const trace of data) {
    if (trace.mode === "markers+text" && trace.x.length > CROWD) trace.mode = "markers";
  }
  for (const [name, axis] of Object.entries(layout)) {
    if (/^yaxis/.test(name) && axis.ticktext) {
      axis.ticktext = axis.ticktext.map((text) => twoLines(String(text)));
      axis.tickfont = { size: 11 };
    }
    if (!/^xaxis/.test(name)) continue;
    if (!axis.tickvals) Object.assign(axis, { nticks: 4, tickangle: 0 });
    else if (axis.ticktext.every((text) => /^[\d.,]+$/.test(text))) {
      const step = Math.ceil(axis.ticktext.length / 5);
      for (const key of ["tickvals", "ticktext"]) axis[key] = axis[key].filter((_, place) => place % step === 0);
    }
  }
}

// Break at the space nearest to the middle, if there is one; what stands between two names ends a line.
function twoLines(text) {
  const spaces = [...text.matchAll(/ (?!−)/g)].map((found) => found.index);
  if (text.length < LONG || !spaces.length) return text;
  const off = (place) => Math.abs(2 * place - text.length);
  const middle = spaces.reduce((one, other) => (off(other) < off(one) ? other : one));
  return `${text.slice(0, middle)}<br>${text.slice(middle + 1)}`;
}

// Paper has another width than the window: with a view box the style sheet can scale what was drawn.
function scale(place) {
  for (const svg of place.querySelectorAll(".main-svg")) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  }
}
