// Unpack plotly.js, then draw every figure from the JSON that stands behind it.
(async () => {
  const packed = document.getElementById("plotly-packed").textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
  const config = {
    responsive: true,
    displaylogo: false,
    modeBarButtons: [["toImage"]],
    toImageButtonOptions: { format: "svg", filename: "quorate" },
  };
  for (const place of document.querySelectorAll(".plot")) {
    const { data, layout } = JSON.parse(place.nextElementSibling.textContent);
    place.replaceChildren();
    await Plotly.newPlot(place, data, layout, config);
    place.on("plotly_afterplot", () => scale(place));
    scale(place);
    place.dataset.drawn = "yes";
  }
})();

// Paper has another width than the window: with a view box the style sheet can scale what was drawn.
function scale(place) {
  for (const svg of place.querySelectorAll(".main-svg")) {
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  }
}
