// The owner's colour, from which the style sheet makes what can be read on light and on dark.
const { colour } = document.documentElement.dataset;
if (colour) document.documentElement.style.setProperty("--colour", colour);
// Runs before the first paint, so that a chosen theme never flashes the other one.
try {
  const theme = localStorage.getItem("bookwise.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme then holds.
}
