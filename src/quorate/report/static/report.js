// Unpack plotly.js, then draw the figures of the page.
(async () => {
  const packed = document.getElementById("plotly-packed").textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
  await drawPlots(document);
})();
