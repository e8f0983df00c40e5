/**
 * What runs in the page of an invoice: asks for it as a program does (L402), lets a wallet of the browser pay it (WebLN), and shows
 * the preimage that proves the payment. The credential is kept for the tab, so that an answer that got lost is asked for again.
 */
export const invoiceScript = `
(() => {
  const byId = id => document.getElementById(id)
  const { pay, back } = byId('invoice').dataset
  const place = 'octagent-invoice ' + pay
  const say = (text, isBad = false) => {
    byId('status').textContent = text
    byId('status').classList.toggle('bad', isBad)
  }
  let token = ''
  let invoice = ''
  const stored = () => { try { return JSON.parse(sessionStorage.getItem(place)) } catch { return null } }
  const store = value => { try { sessionStorage.setItem(place, JSON.stringify(value)) } catch {} }
  const ask = headers => fetch(pay, { method: 'POST', headers, cache: 'no-store' })

  const show = words => {
    byId('price').textContent = words
    byId('text').textContent = invoice
    byId('open').href = 'lightning:' + invoice
    byId('open').hidden = false
    byId('webln').hidden = !window.webln
  }
  const load = async () => {
    const before = stored()
    if (before) {
      ;({ token, invoice } = before)
      return show(before.words)
    }
    const response = await ask({})
    const problem = await response.json()
    const challenge = response.headers.get('www-authenticate') ?? ''
    token = (/token="([^"]+)"/.exec(challenge) ?? [])[1] ?? ''
    invoice = (/invoice="([^"]+)"/.exec(challenge) ?? [])[1] ?? ''
    if (invoice === '') return say(problem.detail ?? 'There is no invoice for this.', true)
    const words = problem.detail ?? ''
    store({ token, invoice, words })
    show(words)
  }
  const prove = async preimage => {
    say('The payment is on its way.')
    const response = await ask({ authorization: 'L402 ' + token + ':' + preimage })
    const answer = await response.json()
    if (!response.ok) return say(answer.detail ?? 'It was not taken.', true)
    say(answer.note)
    byId('invoice').hidden = true
  }
  const run = work => async () => {
    try {
      await work()
    } catch {
      say('The answer did not arrive. Try again: you are not charged twice.', true)
    }
  }
  byId('webln').addEventListener('click', run(async () => {
    await window.webln.enable()
    const { preimage } = await window.webln.sendPayment(invoice)
    byId('preimage').value = preimage
    await prove(preimage)
  }))
  byId('show').addEventListener('click', run(async () => {
    const preimage = byId('preimage').value.trim().toLowerCase()
    if (!/^[0-9a-f]{64}$/.test(preimage)) return say('A preimage has 64 digits and letters from a to f.', true)
    await prove(preimage)
  }))
  run(load)()
})()
`
