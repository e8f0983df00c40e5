import { document } from '../../kernel/document.ts'
import { rules } from './check/check.ts'
import { priceUsd } from './purchase/purchase.ts'

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

The verdict is STOP as soon as one hard check fails, HOLD as long as anything is unknown, GO only when all pass;
\`reason_codes\` begin with what failed. Say \`max_cost\`, \`authority\` (\`{"budget": "1.00"}\`) and \`accepted_licenses\`, or let
the operator say them in \`GATEWAY_POLICY\`; without them the verdict is HOLD. \`NOASSERTION\` among \`accepted_licenses\` grants the
rights where no terms are named; it never covers terms that are.

An endpoint gets the same verdict by host, address, card or member id, and as a registry's find. What can be GO:

- a resource that quotes its price (x402), with a card or without; where only POST is answered with 402, the quote is that of a
  probe (\`verify_external_callability\`) of the last hour;
- an A2A agent that a probe found callable, paid by such a quote or free;
- an MCP server that a probe could list the tools of: its entry in the MCP registry stands in for a card, its descriptions must hold no
  orders to their reader, and its tools must be those of the probe before;
- whatever is free: a verdict with \`max_cost\` 0 and no \`quote\`, which covers no payment at all.

A price is USD by network and contract alone, with the decimals of that contract. Another token has no known price (HOLD); one that
calls itself a USD token which it is not is STOP.

| check | what it asks | failed | unknown |
|---|---|---|---|
${table}

\`signed.canonical\` is the statement as canonical JSON (RFC 8785), \`signed.signature\` an Ed25519 signature over its bytes. The keys
are at \`${base}/.well-known/jwks.json\`; \`POST ${base}/verdicts/verify\` checks for you.

## Before you sign a payment

The answer and the statement carry what may be paid: \`quote\` (\`network, asset, amount, pay_to, scheme, resource\`), all offers as
\`quotes\`, and \`max_cost\`. Hold the 402 that you then get against them (also over A2A and MCP: \`check_quote\`):

\`\`\`sh
curl -s -X POST ${base}/verdicts/check-quote -H 'content-type: application/json' \\
  -d '{"canonical": "{}", "signature": "AA", "payment_required": {"x402Version": 2, "accepts": [{"scheme": "exact",
    "network": "eip155:8453", "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "amount": "10000",
    "payTo": "0x1111111111111111111111111111111111111111", "maxTimeoutSeconds": 60}]}}'
\`\`\`

with \`signed.canonical\` and \`signed.signature\` of the preflight, and the 402 as its body, its \`PAYMENT-REQUIRED\` header, or the one
offer that you would pay. \`status\` is \`same\`, \`cheaper\`, \`dearer\`, \`other_payee\`, \`other_network\`, \`other_asset\`,
\`other_scheme\`, \`other_resource\`, \`expired\`, \`unreadable\` or \`not_authentic\`; pay when \`may_pay\` is true.

## Discovery

\`GET ${base}/agents?capability=translation\` finds members by what they declare (A2A text \`discover:translation\`), each with its
\`external_id\` and, where it gave one, its \`agent_card_url\`: there it is reached.
\`GET ${base}/discover/external?capability=translation\` asks public registries (A2A text \`external:translation\`): being named is no
membership. A registry that is down leaves the others, and \`partial\` says so.

## Releases

\`GET ${base}/utility/live?subject=a2a\` tells the newest A2A or MCP release with provenance and freshness (stale after 7 days,
expired after 30), and works offline with what was last known. \`POST ${base}/utility/query\` takes what you speak as \`context\`.

## Joining, and Bearer credentials

\`\`\`sh
curl -s -X POST ${base}/agents -H 'content-type: application/json' \\
  -d '{"external_id": "agent.example.com", "name": "Ada", "capabilities": ["translation"],
    "agent_card_url": "https://agent.example.com/.well-known/agent-card.json"}'
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

Ranked routes with every check, our callability history, price and rights states, and the fall-back order with reasons; each with
what was read of it: card, address, protocol, payee and price. It costs ${priceUsd} USDC. Where every route is STOP there is nothing to
sell: 409, before any quote.

1. \`GET ${base}/commercial/route-intelligence/payment-readiness\`: \`launch_ready\`, or what is in the way.
2. \`POST ${base}/commercial/route-intelligence/purchase\` with the need, and \`max_cost\`, \`authority\` and
   \`accepted_licenses\` as in a preflight: 402 with \`params.purchase_id\`, the digest of the frozen
   result, and an authorization (EIP-3009) whose nonce is bound to both. It is good for 15 minutes.
3. Sign it with your own address as \`from\`, call \`transferWithAuthorization\` on USDC yourself and pay the gas. No facilitator.
4. Repeat the call with \`purchase_id\` and \`transaction_hash\`. The chain is asked: calldata, logs, depth. 202 while it is young,
   then the result; the same transaction delivers it again, and pays for nothing else.

Over A2A there is guidance only: A2A neither executes a route nor moves funds.

## Executing a route

\`POST ${base}/commercial/route-intelligence/execute\` (tool \`execute_route\`) calls the provider of a GO verdict once, with a payment that
you signed. The gateway holds no funds and no keys, and takes nothing for it: planning is what it sells.

1. Send \`canonical\` and \`signature\` of the verdict, \`request\`, \`max_cost_usd\` and \`expect\`, with your agent key as Bearer. The
   provider is asked without payment; its 402 is held against the verdict to the atom. \`PAYMENT_REQUIRED\` brings \`to_sign\`: the typed
   data (EIP-3009, USDC) and the payload to fill in. Any difference is \`HOLD\`.
2. Send the same with \`payment\`, the signed payload (then no key is needed). It is sent to the address of the verdict in one request,
   once, ever: a repetition says what became of it. At most 1 MiB goes out and 4 MiB come in, within 12 s and without redirects.
3. \`outcome\` is \`verified\` when all that you expected holds (\`schema\`, \`content_type\`, \`sha256\`, \`required_fields\`) and the chain has the
   payment, \`failed\` when a check fails or money was taken for nothing, else \`unverifiable\`.

\`request.protocol\` is \`http\` (\`method\`, \`body\`), \`mcp\` (\`tool\`, \`arguments\`) or \`a2a\` (\`text\`, \`data\`).

| \`money_state\` | where your money is |
|---|---|
| \`not_sent\` | no payment left the gateway |
| \`sent_unknown\` | it was sent; the provider may take it until \`validBefore\` |
| \`not_taken\` | nobody took it, and nobody can any more |
| \`paid\` | it was taken, and no result came |
| \`delivered\` | a result came; \`settlement\` says whether it was taken |

\`receipt\` binds need, verdict, quote, payment, result and checks under the gateway's key and verifies offline as a verdict does. Where money
was taken for nothing, its \`refund\` names who owes what to whom: the document to claim it with. Outcomes of payments that are on the chain
are evidence for later preflights (\`paid_outcomes\`), one of each payer.

## MCP

\`${base}/mcp\` lists \`pre_spend_preflight\` and \`verify_external_callability\`. Every other tool answers \`tools/call\` by name there
(\`purchase_route_intelligence\`, \`discover_external\`, …) and is listed by the bundle with \`?services=gateway\`.
`,
}))
