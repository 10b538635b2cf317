// Puts the folder of this page and the number of the chosen input into the commands, and draws its derivation tree.
(function () {
  "use strict";
  if (location.protocol === "file:") {
    var folder = decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "");
    document.querySelectorAll("code.run").forEach(function (code) {
      code.textContent = "RUN='" + folder.replace(/'/g, "'\\''") + "'";
    });
  }

  // The nodes of a tree: a name or a text, and the children.
  function tree(compact, input, names) {
    var root = { children: [] }, open = [root], at = 0;
    (compact.match(/[a-z]+\(|\d+|\)/g) || []).forEach(function (part) {
      if (part === ")") { open.pop(); return; }
      var node = { children: [] };
      if (part.endsWith("(")) {
        var number = 0;
        for (var place = 0; place < part.length - 1; place++) number = 26 * number + part.charCodeAt(place) - 97;
        node.text = names[number];
      } else {
        node.text = '"' + input.slice(at, at + Number(part)) + '"';
        node.isLeaf = true;
        at += Number(part);
      }
      open[open.length - 1].children.push(node);
      if (!node.isLeaf) open.push(node);
    });
    return root.children[0];
  }

  // An outline: what has one child stands on one line with it.
  function outline(root) {
    var lines = [], next = [[root, 0]];
    while (next.length) {
      var entry = next.pop(), node = entry[0], words = [node.text];
      while (node.children.length === 1) { node = node.children[0]; words.push(node.text); }
      lines.push("  ".repeat(Math.min(entry[1], 40)) + words.join(" "));
      for (var place = node.children.length - 1; place >= 0; place--) next.push([node.children[place], entry[1] + 1]);
    }
    return lines.join("\n");
  }

  // Items count on from the one before unless they say their number.
  function number(item) {
    var steps = 0;
    while (!item.hasAttribute("value") && item.previousElementSibling) { item = item.previousElementSibling; steps++; }
    return (item.hasAttribute("value") ? item.value : 1) + steps;
  }

  document.querySelectorAll("details.inputs").forEach(function (list) {
    var place = list.querySelector("span.number");
    var commands = list.querySelectorAll("code.one");
    if (!place || !commands.length) return;
    var texts = Array.from(commands, function (code) { return code.textContent; });
    var names = (list.closest("article").dataset.names || "").split("\n");
    var field = document.createElement("input");
    field.type = "number";
    field.min = "1";
    field.setAttribute("aria-label", "Number of an input");
    place.textContent = "number ";
    place.append(field);
    var panel = document.createElement("div");
    panel.className = "chosen";
    panel.setAttribute("role", "status");
    function show(item) {
      var shown = field.value || "N";
      commands.forEach(function (code, at) {
        code.textContent = texts[at].replace("sed -n Np", "sed -n " + shown + "p");
      });
      panel.replaceChildren();
      if (!item) { panel.remove(); return; }
      var verdict = item.closest(".group").querySelector("p").cloneNode(true);
      verdict.lastElementChild.remove();
      var again = document.createElement("pre");
      again.tabIndex = 0;
      again.textContent = Array.from(commands, function (code) { return code.textContent; }).join("\n");
      var drawn = document.createElement("pre");
      drawn.tabIndex = 0;
      drawn.className = "tree";
      drawn.textContent = item.dataset.tree
        ? outline(tree(item.dataset.tree, item.querySelector("code").textContent, names))
        : "Its tree is not on this page: the second command shows it.";
      panel.append(verdict, drawn, again);
      item.append(panel);
    }
    field.addEventListener("input", function () {
      var items = Array.from(list.querySelectorAll("li"));
      show(items.find(function (item) { return number(item) === Number(field.value); }));
    });
    list.addEventListener("click", function (event) {
      var item = event.target.closest("li");
      if (!item || event.target.closest(".chosen")) return;
      field.value = panel.parentNode === item ? "" : number(item);
      show(field.value ? item : null);
    });
  });
})();
