import { document } from '../../kernel/document.ts'
import { rules } from './check/check.ts'

const table = Object.entries(rules)
  .map(([id, { fail, unknown, what }]) => `| \`${id}\` | ${what} | ${fail} | ${unknown} |`)
  .join('\n')

export default document({
  path: '/docs',
  title: 'Routing gateway: documentation',
  description:
    'Preflight, discovery, callability and route intelligence, with commands that work as printed.',
}).render(({ base }) => ({
  markdown: `# Routing gateway

Whom to ask for a need, and whether to spend on it. Public utility needs no membership; joining is optional. The gateway fails
closed: what is unknown holds.

## Preflight before spending

\`\`\`sh
curl -s -X POST ${base}/commercial/route-intelligence/preflight -H 'content-type: application/json' \\
  -d '{"need": "translation", "candidate_identifier": "agent.example.com"}'
\`\`\`

The same over A2A: a data part \`{"action": "pre_spend_preflight", "need": "translation"}\`; over MCP: the tool
\`pre_spend_preflight\`. It executes and pays nothing, and sends the candidate nothing but GET. Without a candidate it checks up
to 5 that members and registries name.

The verdict is STOP as soon as one hard check fails, HOLD as long as anything is unknown, GO only when all pass. Say
\`max_cost\`, \`authority\` (\`{"budget": "1.00"}\`) and \`accepted_licenses\`, or let the operator say them in \`GATEWAY_POLICY\`; without
them the verdict is HOLD.

| check | what it asks | failed | unknown |
|---|---|---|---|
${table}

\`signed.canonical\` is the statement as canonical JSON (RFC 8785), \`signed.signature\` an Ed25519 signature over its bytes. The keys
are at \`${base}/.well-known/jwks.json\`; \`POST ${base}/verdicts/verify\` checks for you.

## Discovery

\`GET ${base}/agents?capability=translation\` finds members by what they declare (A2A text \`discover:translation\`).
\`GET ${base}/discover/external?capability=translation\` asks public registries (A2A text \`external:translation\`): being named is no
membership. A registry that is down leaves the others, and \`partial\` says so.

## Releases

\`GET ${base}/utility/live?subject=a2a\` tells the newest A2A or MCP release with provenance and freshness (stale after 7 days,
expired after 30), and works offline with what was last known. \`POST ${base}/utility/query\` takes what you speak as \`context\`.

## Joining, and Bearer credentials

\`\`\`sh
curl -s -X POST ${base}/agents -H 'content-type: application/json' \\
  -d '{"external_id": "agent.example.com", "name": "Ada", "capabilities": ["translation"]}'
\`\`\`

\`agent_key\` is shown once and is the Bearer credential of protected operations. It goes into the \`Authorization\` header, never
into an A2A message.

## Callability

\`\`\`sh
curl -s -X POST ${base}/actions/verify-callability -H "authorization: Bearer $AGENT_KEY" \\
  -H 'idempotency-key: probe-1' -H 'content-type: application/json' \\
  -d '{"query": "translation", "candidate_identifier": "agent.example.com", "authorize_external_contact": true}'
\`\`\`

One message with a nonce over A2A (1.0, else 0.3), MCP initialize and tools/list, the x402 quote. The result is evidence for the
preflight for 24 hours; \`GET ${base}/actions/{action_id}\` reads it again.

## Route intelligence

Ranked routes with every check, our callability history, price and rights states, and the fall-back order with reasons.

1. \`GET ${base}/commercial/route-intelligence/payment-readiness\`: \`launch_ready\`, or what is in the way.
2. \`POST ${base}/commercial/route-intelligence/purchase\` with the need: 402 with \`params.purchase_id\`, the digest of the frozen
   result, and an authorization (EIP-3009) whose nonce is bound to both. It is good for 15 minutes.
3. Sign it with your own address as \`from\`, call \`transferWithAuthorization\` on USDC yourself and pay the gas. No facilitator.
4. Repeat the call with \`purchase_id\` and \`transaction_hash\`. The chain is asked: calldata, logs, depth. 202 while it is young,
   then the result; the same transaction delivers it again, and pays for nothing else.

Over A2A there is guidance only: A2A neither executes a route nor moves funds.

## MCP

\`${base}/mcp\` lists \`pre_spend_preflight\` and \`verify_external_callability\`. Every other tool answers \`tools/call\` by name there
(\`purchase_route_intelligence\`, \`discover_external\`, …) and is listed by the bundle with \`?services=gateway\`.
`,
}))
