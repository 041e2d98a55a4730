import { html } from './web.ts';

export const boats = ['Dinghy', 'Sloop', 'Ketch', 'Motor yacht'] as const;
export const services = ['Water', 'Waste', 'Laundry'] as const;
export const languages = ['Català', 'Deutsch', 'English', '日本語', 'Norsk'] as const;
export const powers = ['None', '16 A', '32 A'] as const;

/** The long form. Its fields are labelled in all the ways that are met with, the careless ones too. */
export const application = () => html`
  <form class="sheet" method="post" action="applications" id="form" novalidate>
    <p class="error" role="alert" id="wrong"></p>
    <div class="row"><label for="name">Your name</label><input id="name" name="name" autocomplete="off"></div>
    <input name="email" type="email" placeholder="you@example.org" autocomplete="off">
    <input name="phone" type="tel" aria-label="Phone" autocomplete="off">
    <label>Kind of boat <select name="boat"><option value="">Choose…</option>${boats.map((one) => html`<option>${one}</option>`)}</select></label>
    <label>Length in metres <input name="length" type="number" min="2" max="60" step="0.1"></label>
    <label>Arrival <input name="arrival" type="date"></label>
    <div class="row"><label>Nights <input name="nights" type="range" min="1" max="30" value="1" oninput="shown.value = this.value"></label> <output id="shown">1</output></div>
    <fieldset><legend>Shore power</legend>${powers.map(
      (one, index) =>
        html`<label><input type="radio" name="power" value="${one}"${index === 0 && html` checked`}> ${one}</label>`,
    )}</fieldset>
    <fieldset><legend>Services</legend>${services.map(
      (one) => html`<label><input type="checkbox" name="services" value="${one}"> ${one}</label>`,
    )}</fieldset>
    <label>Languages <select name="languages" multiple size="5">${languages.map((one) => html`<option>${one}</option>`)}</select></label>
    <label>Country <select name="country" id="country"><option value="">Choose…</option><option>Norway</option><option>Portugal</option><option>Japan</option></select></label>
    <label>City <select name="city" id="city" disabled><option value="">Choose…</option></select></label>
    <div class="row"><span id="port-label">Home port</span><div style="position:relative">
      <button type="button" role="combobox" id="home-port" aria-labelledby="port-label" aria-haspopup="listbox" aria-expanded="false" aria-controls="ports">Choose…</button>
      <ul id="ports" role="listbox" aria-label="Ports" hidden style="position:absolute;z-index:3;background:#fff;margin:4px 0;padding:8px;list-style:none;box-shadow:0 4px 20px #0003"></ul>
      </div></div><input type="hidden" name="port">
    <label>Remarks <textarea name="remarks"></textarea></label>
    <div class="row"><span>Letter to the harbour master</span><div contenteditable="true" role="textbox" aria-multiline="true" aria-label="Letter" id="letter"></div></div>
    <input type="hidden" name="letter">
    <button class="primary">Send application</button>
  </form>
  <script>
    const at = (id) => document.getElementById(id);
    const form = at('form');
    at('country').onchange = async () => {
      at('city').disabled = true;
      const found = await (await fetch('api/cities?country=' + encodeURIComponent(at('country').value))).json();
      at('city').replaceChildren(new Option('Choose…', ''), ...found.map((one) => new Option(one, one)));
      at('city').disabled = false;
    };
    at('home-port').onclick = async () => {
      at('ports').hidden = false;
      at('home-port').ariaExpanded = 'true';
      at('ports').replaceChildren('Loading…');
      const found = await (await fetch('api/ports')).json();
      at('ports').replaceChildren(...found.map((name) => {
        const item = document.createElement('li');
        item.role = 'option';
        item.textContent = name;
        item.style.padding = '6px 12px';
        item.onclick = () => {
          at('home-port').textContent = form.elements.port.value = name;
          at('ports').hidden = true;
          at('home-port').ariaExpanded = 'false';
        };
        return item;
      }));
    };
    form.onsubmit = () => {
      form.elements.letter.value = at('letter').innerText.replaceAll('\u00a0', ' ');
      const wrong = !form.elements.name.value ? 'Please give your name.' : !/.+@.+/.test(form.elements.email.value) ? 'Please give an e-mail address.' : '';
      at('wrong').textContent = wrong;
      if (wrong) scrollTo(0, 0);
      return !wrong;
    };
  </script>`;
