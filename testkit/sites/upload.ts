// Takes files: chosen, chosen behind a button, or written on the page itself.
import { type Brand, page } from './look.ts';
import { field, html, redirect, type Site, type Visit } from './web.ts';

export type Upload = { title: string; name: string; bytes: Uint8Array };
type UploadData = { uploads: Upload[] };

const brand: Brand = { name: 'Harbour Archive', colour: '#4a4a68', nav: [['Files', 'files']] };

export const upload: Site<UploadData> = {
  open: () => ({ uploads: [] }),
  async answer(visit) {
    const { method, path, here, data } = visit;
    if (method === 'POST' && path === '/files') return take(visit);
    if (path === '/') return page(brand, here, 'Hand in a document', handIn());
    return path === '/files' ? page(brand, here, 'Files of the archive', files(data)) : undefined;
  },
};

async function take({ form, data, here }: Visit<UploadData>) {
  for (const file of form.getAll('file')) {
    if (typeof file === 'string' || file.name === '') continue;
    data.uploads.push({ title: field(form, 'title'), name: file.name, bytes: await file.bytes() });
  }
  return redirect(`${here}/files`);
}

const files = ({ uploads }: UploadData) => html`<p class="lead" id="count">${uploads.length} files</p>
  <ul>${uploads.map(
    ({ title, name, bytes }) =>
      html`<li><span class="title">${title}</span>: <span class="name">${name}</span>, <span class="size">${bytes.length}</span> bytes</li>`,
  )}</ul>`;

const handIn = () => html`
  <form class="sheet" method="post" action="files" enctype="multipart/form-data" id="form">
    <label>Title <input name="title" autocomplete="off"></label>
    <label>Document <input type="file" name="file" id="document"></label>
    <div><button type="button" id="choose">Choose another way…</button><input type="file" name="file" id="other" hidden></div>
    <fieldset><legend>Or write it here</legend><input id="made" placeholder="File name" autocomplete="off">
      <label>Contents <textarea id="contents"></textarea></label><button type="button" id="make">Make file</button></fieldset>
    <p id="state" role="status">No file yet</p><button class="primary">Hand in</button></form>
  <script>
    const at = (id) => document.getElementById(id);
    const say = (file) => { at('state').textContent = file.name + ' with ' + file.size + ' bytes' };
    at('choose').onclick = () => at('other').click();
    for (const input of [at('document'), at('other')]) input.onchange = () => say(input.files[0]);
    at('make').onclick = () => {
      const files = new DataTransfer();
      files.items.add(new File([at('contents').value], at('made').value));
      at('document').files = files.files;
      say(files.files[0]);
    };
  </script>`;
