import { type Html, html } from '../../../lib/text/html.ts'
import type { EvidenceType } from '../evidence.ts'
import { toWords } from './facts.ts'
import type { DrawField } from './forms.ts'

const fileTypes: Readonly<Partial<Record<EvidenceType, string>>> = {
  photo: 'image/*',
  photo_geo: 'image/*',
  screenshot: 'image/*',
  video: 'video/*',
  document: '',
  receipt: '',
  signature: '',
  notarized: '',
  file_artifact: '',
}

const jsonTypes: readonly EvidenceType[] = [
  'json_response',
  'structured_data',
  'api_response',
  'timestamp_proof',
]

/** The camera of a phone opens at once for what has to be photographed there. */
const fromCamera: readonly EvidenceType[] = ['photo_geo', 'photo', 'video', 'receipt']

/** The fields of one type of evidence. With a script, files are uploaded one by one, and the place comes from the device. */
export const evidenceFieldset = (
  field: DrawField,
  type: EvidenceType,
  at: number,
  isOptional = false,
): Html => {
  const name = (part: string) => `evidence.${at}.${part}`
  const required = !isOptional
  const accept = fileTypes[type]
  const number = (part: string, label: string) =>
    field({ name: name(`${part}|number`), label, kind: 'number', required })
  const camera = fromCamera.includes(type) && html` capture="environment"`
  const isText =
    accept === undefined && !jsonTypes.includes(type) && type !== 'measurement' && type !== 'url_reference'
  return html`<fieldset${type === 'photo_geo' && html` data-geo`}><legend>${toWords(type)}</legend>
<input type="hidden" name="${name('type')}" value="${type}">
${accept !== undefined && field({ name: name('file'), label: accept === 'image/*' ? 'Photos' : 'Files', kind: 'file', required, more: html`multiple${accept !== '' && html` accept="${accept}"`}${camera}` })}
${
  type === 'photo_geo' &&
  html`<div class="row">${number('lat', 'Latitude where it was taken')}${number('lng', 'Longitude')}</div>
<input type="hidden" name="${name('accuracy_m|number')}" data-accuracy>
<button type="button" class="plain" data-locate hidden>Use my location</button>`
}
${type === 'measurement' && html`<div class="row">${number('amount', 'Value')}${field({ name: name('unit'), label: 'Unit', required, maxLength: 30 })}</div>`}
${(type === 'url_reference' || type === 'api_response') && field({ name: name('url'), label: 'Address (https)', kind: 'url', required })}
${jsonTypes.includes(type) && field({ name: name('json'), label: 'JSON', kind: 'area', required })}
${isText && field({ name: name('value'), label: 'Text', kind: 'area', required, ...(type === 'text_report' && { hint: '50 characters at least' }) })}
</fieldset>`
}
