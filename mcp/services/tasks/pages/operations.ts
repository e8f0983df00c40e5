import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { type FormContext, type PostedForm, readFiles, toToolInput } from './forms.ts'

type Input = Record<string, unknown>

/** Operation of the pages' forms, and what follows. */
type Operation = {
  /** The page's message once it is done. */
  done: string
  /** The input of the tool, where that is more than the fields of the form. */
  input?(ctx: FormContext, form: PostedForm): Promise<Input>
  /** Path it leads to, below the service; back to the form's page without it. */
  to?(output: Record<string, unknown>): string
  /** HTML shown once instead, and kept nowhere; undefined where there is nothing to show. */
  show?(output: Record<string, unknown>): Html | undefined
}

const toPieces = (fields: FormData): Map<string, FormData> => {
  const pieces = new Map<string, FormData>()
  for (const [name, value] of fields) {
    const [, at, field] = /^evidence\.(\d+)\.(.+)$/.exec(name) ?? []
    if (at === undefined || field === undefined) continue
    const piece = pieces.get(at) ?? new FormData()
    piece.append(field, value)
    pieces.set(at, piece)
  }
  return pieces
}

const parseJson = (text: string, type: unknown): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ToolError('invalid_input', `${type}: this is not JSON.`, { cause })
  }
}

const toGeo = ({ lat, lng, accuracy_m }: Input) =>
  lat === undefined && lng === undefined
    ? {}
    : { geo: { lat, lng, ...(accuracy_m !== undefined && { accuracy_m }) } }

const toValue = ({ value, json, amount, unit }: Input, type: unknown): { value?: unknown } => {
  if (amount !== undefined || unit !== undefined) return { value: { value: amount, unit } }
  if (typeof json === 'string') return { value: parseJson(json, type) }
  return value === undefined ? {} : { value }
}

/** The pieces of evidence of a form: one for each file, else one for what was written. A type that may be left out is, where it is empty. */
const toEvidenceItems = async (ctx: FormContext, { fields }: PostedForm): Promise<unknown[]> => {
  const items: unknown[] = []
  for (const piece of toPieces(fields).values()) {
    piece.append('task_id', String(fields.get('task_id') ?? ''))
    const ids = await readFiles(ctx, piece, 'file')
    const { type, url, note, captured_at, ...input } = toToolInput(piece)
    const item = {
      type,
      ...toValue(input, type),
      ...toGeo(input),
      ...(url !== undefined && { url }),
      ...(note !== undefined && { note }),
      ...(captured_at !== undefined && { captured_at }),
    }
    for (const file_id of ids) items.push({ ...item, file_id })
    if (ids.length === 0 && Object.keys(item).length > 1) items.push(item)
  }
  return items
}

/** The questions of a test from lines such as `Which door? = left | the left one`. */
const toQuestions = (lines: string): Input[] =>
  lines
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const at = line.lastIndexOf('=')
      const accepted = (at < 0 ? '' : line.slice(at + 1)).split('|').flatMap(text => text.trim() || [])
      if (accepted.length > 0) return { question: line.slice(0, at), accepted }
      throw new ToolError('invalid_input', `Test: "${line.trim().slice(0, 80)}" has no right answer.`, {
        hint: 'Write each question as: question = right answer | another right answer',
      })
    })

/** The transaction that a wallet is to send, for who has no script that hands it over. */
const transactionBox = (call: Record<string, unknown> | null | undefined): Html | undefined =>
  call
    ? html`<section class="work"><h2>For your wallet to send</h2>
<p>Send this transaction, without ether, on the chain with the id ${String(call.chain_id)}.</p>
<p>To <code tabindex="0">${String(call.to)}</code></p>
<p>Data <code tabindex="0">${String(call.data)}</code></p></section>`
    : undefined

const showTransaction = ({ transaction }: Record<string, unknown>) =>
  transactionBox(transaction as Record<string, unknown> | null)

/** The operations by the name of their tool. Nothing else can be called by a form. */
export const operations: Readonly<Record<string, Operation>> = {
  register_worker: { done: 'You are registered.' },
  apply_to_task: {
    done: 'Your application has arrived. The publisher picks one of those that wait.',
    async input(_, { fields }) {
      const answers = [...fields].filter(([name]) => name.startsWith('answer.'))
      const isAnswered = answers.some(([, text]) => typeof text === 'string' && text.trim() !== '')
      return {
        ...toToolInput([...fields].filter(([name]) => !name.startsWith('answer.'))),
        ...(isAnswered && { answers: answers.map(([, text]) => text) }),
      }
    },
  },
  withdraw_application: { done: 'Your application is withdrawn.' },
  ask_question: { done: 'Your question is with the publisher.' },
  answer_question: { done: 'Your answer is there for all to read.' },
  start_work: { done: 'You have started. The clock runs.' },
  submit_work: {
    done: 'Your work is handed in. Unreviewed, it counts as accepted after 48 hours.',
    input: async (ctx, form) => ({
      ...toToolInput([...form.fields].filter(([name]) => !name.startsWith('evidence.'))),
      evidence: await toEvidenceItems(ctx, form),
    }),
  },
  presign_upload: { done: 'The address is made.' },
  abandon_task: { done: 'You have given up the task.', to: () => '/work/mine' },
  open_dispute: {
    done: 'An arbiter decides now.',
    async input(ctx, { fields }) {
      const named = new Set(['_operation', '_key', 'submission_id', 'reason'])
      const input = toToolInput([...fields].filter(([name]) => named.has(name)))
      return { ...input, file_ids: await readFiles(ctx, fields, 'files') }
    },
  },
  publish_task: {
    done: 'The task is published.',
    async input(_, { fields }) {
      const { test_lines, test_pass, golden_lines, repeat_hours, repeat_count, badge_required, ...input } =
        toToolInput(fields)
      const options = {
        ...(badge_required !== undefined && { badge_required }),
        ...(test_lines !== undefined && {
          test: {
            questions: toQuestions(String(test_lines)),
            ...(test_pass !== undefined && { pass_percent: test_pass }),
          },
        }),
        ...(golden_lines !== undefined && { golden_answers: golden_lines }),
        ...((repeat_hours ?? repeat_count) !== undefined && {
          repeat: { every_hours: repeat_hours, count: repeat_count },
        }),
      }
      return { ...input, options }
    },
    to: ({ task_id }) => `/publish/tasks/${task_id}`,
  },
  assign_worker: { done: 'The task is assigned.' },
  approve_submission: { done: 'The work is approved and paid.' },
  request_more_info: { done: 'The work is sent back with your question.' },
  reject_submission: { done: 'The work is rejected.' },
  update_task: { done: 'The task is changed.' },
  cancel_task: { done: 'The task is cancelled, and what was in escrow is back.' },
  rate_worker: { done: 'Thank you for the rating.' },
  grant_badge: { done: 'The worker holds your badge.' },
  block_worker: { done: 'The worker cannot apply to your tasks any more.' },
  send_bonus: { done: 'The bonus is paid.' },
  release_payment: { done: 'The part is paid.' },
  pay_deliverable: { done: 'The worker is paid.' },
  reclaim_escrow: { done: 'The transaction is sent.', show: transactionBox },
  resolve_dispute: { done: 'The dispute is decided, and the money has moved.' },
  close_session: { done: 'The session is being settled.' },
  register_identity: { done: 'The identity is linked to your account.', show: showTransaction },
  publish_feedback: { done: 'Your rating is on its way to the chain.', show: showTransaction },
  rate_publisher: { done: 'Thank you for the rating.' },
  withdraw_funds: { done: 'The money is on its way to your wallet.' },
  deposit_funds: { done: 'The money is on your balance.' },
  make_key: {
    done: 'The key is made.',
    show: ({ api_key, account_id }) => html`<section class="work"><h2>Your key</h2>
<p>It is shown this once. Send it as <code>Authorization: Bearer</code>; it acts for ${String(account_id)}. A key of before is good no more.</p>
<p><code tabindex="0">${String(api_key)}</code></p></section>`,
  },
}
