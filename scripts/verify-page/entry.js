import { verifyProofFile } from '../../mcp/services/proof/proofs/verify/file.ts'

const byId = id => document.getElementById(id)

const addLines = (list, lines) => {
  for (const line of lines) {
    const item = document.createElement('li')
    item.textContent = line
    list.append(item)
  }
}

const verify = () => {
  const keys = byId('keys').value.trim()
  const artifact = byId('artifact').value.trim()
  const verdict = verifyProofFile(byId('proof').value, {
    now: Math.floor(Date.now() / 1000),
    keysText: keys === '' ? undefined : keys,
    artifactHash: artifact === '' ? undefined : artifact,
  })
  const { valid, refusals, notes, event, payload } = verdict
  const result = byId('result')
  result.dataset.valid = String(valid)
  byId('verdict').textContent = valid ? 'Valid' : 'Not valid'
  const list = byId('lines')
  list.replaceChildren()
  addLines(
    list,
    refusals.map(({ message }) => message),
  )
  if (event) addLines(list, [`Signed ${new Date(event.created_at * 1000).toISOString()} by ${event.pubkey}`])
  addLines(
    list,
    notes.map(note => `Note: ${note}`),
  )
  byId('payload').textContent = payload ? JSON.stringify(payload, null, 2) : ''
  result.hidden = false
}

const load = (input, target) =>
  byId(input).addEventListener('change', async ({ target: { files } }) => {
    if (files[0]) byId(target).value = await files[0].text()
  })

load('proof-file', 'proof')
load('keys-file', 'keys')
byId('verify').addEventListener('click', verify)

// A page that brings its proof along has it verified at once.
if (byId('proof').value.trim() !== '') verify()
