// A page with every kind of list and suggestions that people choose from. What was chosen is told in the title.

export const suggestionsPage = `<!doctype html><meta charset=utf-8><title>Suggestions</title><script>function tell(text) { document.title = text }</script>
  <label>Boat <select onchange="tell('boat ' + this.value)"><option value="">Choose…<option>Dinghy<option>Motor yacht (large)<option>Motor yacht (small)<option value=b>Barge<option value=b2>Barge</select></label>
  <label>Late <select id=late onchange="tell('late ' + this.value)"><option>Loading…</select></label>
  <label>Land <input list=lands onchange="tell('land ' + this.value)"></label><datalist id=lands><option value=NO label=Norway><option value=PT label=Portugal><option value=Japan></datalist>
  <label>City <input id=city role=combobox aria-controls=cities aria-expanded=false aria-autocomplete=list></label>
  <ul id=cities role=listbox hidden></ul>
  <label>Port <input id=port></label><ul id=ports></ul>
  <label>Street <input id=street placeholder="Where?"></label><div id=streets></div>
  <div id=tags><span id=kept></span><input id=tag role=combobox aria-label=Tags aria-controls=tagged></div><div id=tagged role=listbox></div>
  <ul><li>Berlin is only a word here</ul>
  <form onsubmit="tell('sent'); return false"><label>Free <input id=free></label></form>
  <script>
    const at = (id) => document.getElementById(id);
    setTimeout(() => { at('late').append(new Option('Arrived', 'arrived')) }, 700);
    const all = ['Bergen', 'Berlin', 'Bern', 'Bernau bei Berlin', 'Köln'];
    let asked = 0;
    at('city').oninput = () => {
      const mine = ++asked;
      at('cities').hidden = false;
      at('cities').innerHTML = '<li role=option aria-disabled=true>Loading…</li>';
      setTimeout(() => {
        if (mine !== asked) return;
        const said = at('city').value.toLowerCase();
        at('cities').replaceChildren(...all.filter((one) => one.toLowerCase().includes(said)).map((one) => {
          const item = document.createElement('li');
          item.role = 'option';
          item.textContent = one;
          item.onclick = () => { at('city').value = one; at('cities').hidden = true; tell('city ' + one) };
          return item;
        }));
      }, 300);
    };
    // Listens to keys alone, and closes when the field loses the focus.
    let active = -1;
    const draw = () => at('ports').childNodes.forEach((item, index) => { item.className = index === active ? 'on' : '' });
    at('port').oninput = () => {
      active = -1;
      const said = at('port').value.toLowerCase();
      at('ports').replaceChildren(...['Aarhus', 'Brest', 'Brest harbour', 'Cádiz'].filter((one) => one.toLowerCase().includes(said)).map((one) => {
        const item = document.createElement('li');
        item.textContent = one;
        return item;
      }));
    };
    at('port').onblur = () => at('ports').replaceChildren();
    at('port').onkeydown = (event) => {
      if (event.key === 'ArrowDown') { active += 1; draw(); event.preventDefault() }
      if (event.key === 'Enter' && active >= 0) { at('port').value = at('ports').childNodes[active].textContent; at('ports').replaceChildren(); tell('port ' + at('port').value) }
    };
    // A plain field: nothing says that it suggests.
    at('street').oninput = () => setTimeout(() => {
      at('streets').innerHTML = '<ul><li>Elm Street 3, Bergen</li><li>Elm Street 3, Bern</li><li>Oak Lane</li></ul>';
      for (const item of at('streets').querySelectorAll('li')) item.onmousedown = (event) => {
        event.preventDefault();
        at('street').value = item.textContent;
        at('streets').replaceChildren();
        tell('street ' + item.textContent);
      };
    }, 100);
    at('tag').oninput = () => {
      at('tagged').innerHTML = at('tag').value ? '<div role=option>red</div><div role=option>dark red</div>' : '';
      for (const item of at('tagged').children) item.onclick = () => { at('kept').append(item.textContent + ' '); at('tag').value = ''; at('tagged').innerHTML = ''; tell('tags ' + at('kept').textContent) };
    };
  </script>`;
