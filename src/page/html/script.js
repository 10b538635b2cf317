// Puts the folder of this page and the number of the chosen input into the commands.
(function () {
  "use strict";
  if (location.protocol === "file:") {
    var folder = decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "");
    document.querySelectorAll("code.run").forEach(function (code) {
      code.textContent = "RUN='" + folder.replace(/'/g, "'\\''") + "'";
    });
  }
  document.querySelectorAll("details.inputs").forEach(function (list) {
    var place = list.querySelector("span.number");
    var commands = list.querySelectorAll("code.one");
    if (!place || !commands.length) return;
    var texts = Array.from(commands, function (code) { return code.textContent; });
    var field = document.createElement("input");
    field.type = "number";
    field.min = "1";
    field.setAttribute("aria-label", "Number of an input");
    place.textContent = "number ";
    place.append(field);
    function show() {
      var number = field.value || "N";
      commands.forEach(function (code, at) {
        code.textContent = texts[at].replace("sed -n Np", "sed -n " + number + "p");
      });
    }
    field.addEventListener("input", show);
    list.addEventListener("click", function (event) {
      var item = event.target.closest("li");
      if (item) { field.value = item.value; show(); }
    });
  });
})();
