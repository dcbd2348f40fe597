// What the theme leaves out for people who do not see the page or do not use a mouse.
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("pre, .table-wrapper")) block.tabIndex = 0; // wide ones scroll
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.ariaLevel = "2";
  const [pages, contents] = document.querySelectorAll("aside");
  pages?.setAttribute("aria-label", "Pages");
  contents?.setAttribute("aria-label", "On this page");
  if (!document.querySelector("h1")) {
    const heading = document.createElement("h1");
    heading.textContent = document.title.split(" - ")[0];
    document.querySelector("article")?.prepend(heading);
  }
});
