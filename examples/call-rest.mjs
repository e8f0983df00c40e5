// Calls a free tool over REST: node examples/call-rest.mjs [base]
const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`

const response = await fetch(`${base}/data/tools/json-repair?free=1`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ json: "{name: 'Ada',}" }),
})
const { result } = await response.json()
console.log(result)
