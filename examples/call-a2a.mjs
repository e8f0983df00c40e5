// Sends a message over A2A: node examples/call-a2a.mjs [base]
const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`

const response = await fetch(`${base}/cat/a2a`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: {
      message: { kind: 'message', role: 'user', messageId: '1', parts: [{ kind: 'text', text: 'hello' }] },
    },
  }),
})
const { result } = await response.json()
console.log(JSON.stringify(result, null, 2))
