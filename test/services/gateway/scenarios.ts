import {
  type App,
  fromSomewhere,
  type Headers,
  nextNumber,
  type Scenario,
  type ServiceScenarios,
} from '../../contract/scenario.ts'

/** A new member of the gateway, by its key. */
const member = async (app: App): Promise<Headers> => {
  const response = await fetch(`${app.url}/gateway/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromSomewhere() },
    body: JSON.stringify({
      external_id: `member-${nextNumber()}`,
      name: 'Ada',
      capabilities: ['translation'],
    }),
  })
  const { agent_key } = (await response.json()) as { agent_key: string }
  return { authorization: `Bearer ${agent_key}` }
}

const asMember: Scenario = async (app, input) => ({ input, headers: await member(app) })

/** A callability action of a new member. */
const acted: Scenario = async (app, input) => {
  const headers = await member(app)
  const response = await fetch(`${app.url}/gateway/actions/verify-callability`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      query: 'translation',
      candidate_identifier: 'https://example.com/',
      authorize_external_contact: true,
    }),
  })
  const { action_id } = (await response.json()) as { action_id: string }
  return { input: { ...input, action_id }, headers }
}

const afterPayment = new Set(['get_purchase', 'reconcile_purchase'])

export const gatewayScenarios: ServiceScenarios = {
  tools: {
    join_svc: async (_, input) => ({
      input: { ...input, external_id: `joiner-${nextNumber()}` },
      headers: {},
    }),
    verify_external_callability: asMember,
    get_action_status: acted,
  },
  credentials: member,
  // Over A2A the purchase is guidance; else it asks to be paid directly.
  isUnanswerable: (tool, way) =>
    afterPayment.has(tool) || (tool === 'purchase_route_intelligence' && !way.startsWith('a2a')),
}
