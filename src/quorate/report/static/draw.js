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
    place.style.minHeight = `${place.dataset.height}px`;
    const { data, layout } = JSON.parse(place.nextElementSibling.textContent);
    place.replaceChildren();
    await Plotly.newPlot(place, data, layout, config);
    place.on("plotly_afterplot", () => scale(place));
    scale(place);
    place.dataset.drawn = "yes";
  }
}

// Paper has another width than the window: with a view box the style sheet can scale what was drawn.
function scale(place) {
  for (const svg of place.querySelectorAll(".main-svg")) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  }
}
