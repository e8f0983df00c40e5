// Asks for a verdict before a command, proves it afterwards, and checks the proof without a network; both calls are paid by Lightning.
// node examples/before-and-after.mjs [url]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const base = process.argv[2] ?? process.env.OCTAGENT_URL ?? `http://127.0.0.1:${process.env.PORT ?? 8402}`
const url = `${base}/proof`
const octagent = (...args) => execFileSync(process.execPath, ['dist/main.js', ...args], { encoding: 'utf8' })

const post = (path, body, headers = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Asks, pays the invoice of the refusal, and asks again with what the payment gave. */
const buy = async (path, body) => {
  const challenge = (await post(path, body)).headers.get('www-authenticate') ?? ''
  const [, token] = / token="([^"]+)"/.exec(challenge) ?? []
  const [, invoice] = /invoice="([^"]+)"/.exec(challenge) ?? []
  // Any wallet pays it; the one of the development node moves no money.
  const preimage = octagent('pay-invoice', invoice).trim()
  const answer = await post(path, body, { authorization: `L402 ${token}:${preimage}` })
  const output = await answer.json()
  if (!answer.ok) throw new Error(output.detail)
  return output
}

const command = 'rm -rf /var/lib/app/*'
const review = await buy('/review', { artifact: command, artifact_type: 'shell_command' })
console.log(`${review.verdict}: ${review.summary}`)

const now = new Date().toISOString()
const proof = await buy('/prove', {
  action_id: `act-${Date.now()}`,
  action: { kind: 'shell', status: 'succeeded', started_at: now, finished_at: now, input: { command } },
})
const bundle = await (await fetch(`${url}/proofs/${proof.proof_id}`)).json()
const file = join(mkdtempSync(join(tmpdir(), 'octagent-proof-')), 'proof.json')
writeFileSync(file, JSON.stringify(bundle))
console.log(octagent('verify-proof', file))
