import { createHash } from 'node:crypto'
import type { EndpointContext, EndpointRequest } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { type EvidenceFile, filesIn, fileTypes, receiveFile } from '../file.ts'

/** Context of the handler of a form. */
export type FormContext = EndpointContext<'store' | 'clock' | 'files' | 'workers'>

/** A form that was posted: the tool that it calls, which of several equal forms it was, and its fields. */
export type PostedForm = { operation: string; key: string; fields: FormData }

/** Bytes of one form, files included. With scripts, files go their own way and may be larger. */
export const maxFormBytes = 33_554_432

export const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const

/** Parses a posted form. Throws `malformed` for what is none. */
export const parseForm = async ({ headers, bytes }: EndpointRequest): Promise<PostedForm> => {
  const body = Uint8Array.from(bytes)
  const type = headers['content-type'] ?? ''
  const fields = await new Response(body, { headers: { 'content-type': type } }).formData().catch(cause => {
    throw new ToolError('malformed', 'The form cannot be read.', { cause })
  })
  const text = (name: string) => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
  return { operation: text('_operation'), key: text('_key'), fields }
}

const toNumber = (text: string): number | string => {
  const number = Number(text.trim().replace(',', '.'))
  return Number.isNaN(number) ? text : number
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  number: toNumber,
  list: text => text.split(/[,\n]/).flatMap(part => part.trim() || []),
  lines: text => text.split('\n').flatMap(line => line.trim() || []),
  flag: () => true,
}

/**
 * The input of a tool from the fields of a form. A name may say how its text is read: `score|number`, `skills|list` with commas or lines
 * between, `answers|lines`, `types|many` for one of several, `funded_only|flag`. What was left empty is left out.
 */
export const toToolInput = (fields: Iterable<[string, string | File]>): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  for (const [name, value] of fields) {
    if (name.startsWith('_') || typeof value !== 'string' || value.trim() === '') continue
    const [field = '', kind = ''] = name.split('|')
    const before = input[field]
    if (kind === 'many') input[field] = [...(Array.isArray(before) ? before : []), value]
    else input[field] = readers[kind]?.(value) ?? value
  }
  return input
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Stores the files of a form for a task as `presign_upload` promises them, and names them. */
const storeFiles = async (ctx: FormContext, task_id: string, files: readonly File[]): Promise<string[]> => {
  const ids: string[] = []
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const content_type = file.type === '' ? 'text/plain' : file.type
    if (!fileTypes.some(type => type === content_type))
      throw new ToolError(
        'invalid_input',
        `${file.name.slice(0, 80)}: files of type ${content_type} are not taken.`,
        {
          hint: `Taken are ${fileTypes.join(', ')}.`,
        },
      )
    const { file_id } = await ctx.call('presign_upload', {
      task_id,
      sha256,
      bytes: bytes.length,
      content_type,
    })
    const row: EvidenceFile | undefined = await filesIn(ctx.store).get(String(file_id))
    if (row?.state === 'pending')
      await receiveFile(
        { ...ctx, store: ctx.store, files: ctx.files, workers: ctx.workers, now: ctx.clock.now() },
        row,
        inChunks(bytes),
      )
    ids.push(String(file_id))
  }
  return ids
}

/** Ids of the files of one field: those that a script has uploaded, and those that came with the form. */
export const readFiles = async (ctx: FormContext, form: FormData, name: string): Promise<string[]> => {
  const task_id = String(form.get('task_id') ?? '')
  const uploaded = form
    .getAll(`${name}.uploaded`)
    .flatMap(ids => (typeof ids === 'string' ? ids.split(' ') : []))
  const sent = form.getAll(name).filter(value => value instanceof File && value.size > 0) as File[]
  return [...uploaded.filter(id => id !== ''), ...(await storeFiles(ctx, task_id, sent))]
}

/** State of a page's forms: what was posted and refused, so that nothing that was written is lost. */
export type FormState = {
  /** Path that forms of the page post to. */
  action: string
  posted?: PostedForm
  problem?: ToolError
}

type FieldOptions = {
  name: string
  label: string
  /** Its explanation. */
  hint?: string
  kind?: 'text' | 'area' | 'number' | 'file' | 'url' | 'check' | 'select'
  options?: readonly (readonly [value: string, label: string])[]
  value?: string | number | undefined
  /** A box that is ticked at first. */
  checked?: boolean
  required?: boolean
  maxLength?: number
  /** Further attributes. */
  more?: Html
}

/** Draws one field of a form. */
export type DrawField = (field: FieldOptions) => Html

type FormOptions = {
  operation: string
  submit: string
  /** Which of several equal forms of a page it is. */
  key?: string
  /** Input of the tool besides the fields. */
  input?: Readonly<Record<string, string>>
  /** Its button is not the first thing to press. */
  quiet?: boolean
  /** Holds files, which a script uploads one by one where there is one. */
  hasFiles?: boolean
  /** Is paid by a wallet, by the script. */
  paid?: boolean
  /** Answers with a transaction, which a wallet sends by the script. */
  sends?: boolean
}

const toIdent = (text: string): string => text.replace(/[^\w-]+/g, '-')

const problemLine = ({ message, extra }: ToolError): Html =>
  html`<p role="alert" class="say bad">${message}${extra.hint ? ` ${extra.hint}` : ''}</p>`

const control = (id: string, field: FieldOptions, value: string | undefined): Html => {
  const { name, kind = 'text', options = [], required, maxLength, hint, more } = field
  const attributes = html`id="${id}" name="${name}"${required && html` required`}${maxLength !== undefined && html` maxlength="${maxLength}"`}${hint !== undefined && html` aria-describedby="${id}-hint"`}${more !== undefined && html` ${more}`}`
  if (kind === 'area') return html`<textarea ${attributes}>${value}</textarea>`
  if (kind === 'file') return html`<input type="file" ${attributes}>`
  if (kind === 'select')
    return html`<select ${attributes}>${options.map(([option, text]) => html`<option value="${option}"${option === value && html` selected`}>${text}</option>`)}</select>`
  const mode = kind === 'number' && html` inputmode="decimal" autocomplete="off"`
  return html`<input${kind === 'url' && html` type="url"`} value="${value}" ${attributes}${mode}>`
}

/** Draws forms that call tools. A form that was refused comes back as it was filled in, with the reason above its button. */
export const openForms = ({ action, posted, problem }: FormState) => {
  /** One form; `draw` makes its fields. */
  const form = (
    options: FormOptions,
    draw: (field: DrawField) => Html | readonly Html[] = () => [],
  ): Html => {
    const { operation, submit, key = '', input = {}, quiet, hasFiles, paid, sends } = options
    const refused = posted?.operation === operation && posted.key === key ? posted.fields : undefined
    const field: DrawField = options => {
      const { name, label, hint, kind, value } = options
      const id = toIdent(`${operation}-${key}-${name}`)
      const texts = refused?.getAll(name).filter(text => typeof text === 'string') ?? []
      if (kind === 'check') {
        const isChecked = refused ? texts.includes(String(value ?? 'true')) : options.checked === true
        return html`<p><label class="check"><input type="checkbox" name="${name}" value="${value ?? 'true'}"${isChecked && html` checked`}> ${label}</label></p>`
      }
      const before = refused ? texts[0] : value?.toString()
      return html`<div><label for="${id}">${label}</label>${hint !== undefined && html`<p class="facts" id="${id}-hint">${hint}</p>`}${control(id, options, before)}</div>`
    }
    const hidden = { _operation: operation, ...(key !== '' && { _key: key }), ...input }
    const attributes = html`${hasFiles && html` enctype="multipart/form-data" data-upload`}${paid && html` data-pay`}${sends && html` data-send`}`
    return html`<form method="post" action="${action}"${attributes}>
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${draw(field)}
${refused && problem && problemLine(problem)}
<button type="submit"${quiet && html` class="plain"`}>${submit}</button>
</form>`
  }
  /** The reason of a refusal whose form is not on the page any more, as after the state has moved on. */
  const strayProblem = (page: Html): Html | false =>
    problem !== undefined && !page.html.includes('role="alert"') && problemLine(problem)
  return { form, strayProblem }
}

export type Forms = ReturnType<typeof openForms>
