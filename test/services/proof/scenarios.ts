import { type App, fromSomewhere, type Headers, type ServiceScenarios } from '../../contract/scenario.ts'
import { hasBubblewrap } from '../../ports/sandbox/run.ts'

const post = async (app: App, path: string, body: object, headers: Headers = {}) => {
  const response = await fetch(`${app.url}/proof${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromSomewhere(), ...headers },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Record<string, string>
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}

/** A new account, with its key as headers. */
const open = async (app: App) => {
  const { account_id = '', api_key = '' } = await post(app, '/register', {})
  return { id: account_id, headers: { 'x-api-key': api_key } }
}

/** The key of a new account. */
const register = async (app: App): Promise<Headers> => (await open(app)).headers

/** A message that one account has received, by a call that is free. */
const received = async (app: App) => {
  const recipient = await open(app)
  const direct = { to_agent: recipient.id, content: 'Hello' }
  const { message_id = '' } = await post(app, '/messages/dm', direct, await register(app))
  return { headers: recipient.headers, message_id }
}

/** Proofs are made by paid calls and events are signed by their sender: the tests of the proofs and of the ledger do both. */
export const proofScenarios: ServiceScenarios = {
  credentials: register,
  tools: {
    message_thread: async app => {
      const { message_id } = await post(app, '/messages/post', { content: 'Hello' }, await register(app))
      return { input: { message_id }, headers: {} }
    },
    message_mark_read: async app => {
      const { headers, message_id } = await received(app)
      return { input: { message_ids: [message_id] }, headers }
    },
    residence_get: async app => ({ input: { agent_id: (await open(app)).id }, headers: {} }),
    offer_withdraw: async app => {
      const headers = await register(app)
      const offer = { title: 'A report', description: 'Ten pages on tides.', price_sats: 500 }
      const { offer_id } = await post(app, '/offers/create', offer, headers)
      return { input: { offer_id }, headers }
    },
    message_delete: async app => {
      const { headers, message_id } = await received(app)
      return { input: { message_id }, headers }
    },
  },
  // A direct message has a price and a recipient that must be here; the tests of messages have both. What is bought is paid
  // from a balance, which the tests of the market fill. Cards are taken by a processor elsewhere, which the tests of cards have.
  // Artifacts are made of pages, what is withdrawn came in before, and what a workspace holds was left there by a run; all have tests
  // of their own.
  isUnanswerable: tool =>
    [
      'delete_artifact',
      'get_artifact',
      'get_proof',
      'marketplace_buy',
      'message_dm',
      'offer_fulfill',
      'reveal_proof',
      'submit_to_ledger',
      'top_up_by_card',
      'withdraw',
      'workspace_delete',
      'workspace_read',
    ].includes(tool) ||
    (tool === 'execute' && !hasBubblewrap),
}
