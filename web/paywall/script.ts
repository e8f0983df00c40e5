/**
 * What runs in the page: finds wallets (EIP-6963, else the injected one; WebLN), has the authorization signed (EIP-3009, EIP-712) and asks
 * for the resource with it. A signed payment is kept for the tab, so that an answer that got lost is asked for again and not
 * paid again. Everything that comes from elsewhere is put into the page as text.
 */
export const paywallScript = `
(() => {
  const byId = id => document.getElementById(id)
  const { quote, options } = JSON.parse(byId('quote').textContent)
  const button = byId('pay')
  const form = byId('signed')
  const status = byId('status')
  const choice = byId('option')
  const walletChoice = byId('wallet')
  const wallets = []
  const place = 'octagent-payment ' + location.href

  const say = (text, isBad = false) => {
    status.textContent = text
    status.classList.toggle('bad', isBad)
  }
  const option = () => options[choice ? Number(choice.value) : 0]
  const stored = () => {
    try { return sessionStorage.getItem(place) } catch { return null }
  }
  const store = payment => {
    try {
      if (payment === null) sessionStorage.removeItem(place)
      else sessionStorage.setItem(place, payment)
    } catch {}
    label()
  }
  const label = () => {
    const { words, network, accepts } = option()
    byId('price').textContent = words
    byId('network').textContent = network
    byId('payee').textContent = accepts.payTo
    byId('token').textContent = accepts.asset
    if (button) button.textContent = stored() === null ? 'Pay ' + words : 'Ask again (already signed)'
  }

  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (!info || !provider || wallets.some(({ uuid }) => uuid === info.uuid)) return
    wallets.push({ uuid: info.uuid, name: String(info.name), provider })
    const entry = document.createElement('option')
    entry.textContent = String(info.name)
    entry.value = String(wallets.length - 1)
    walletChoice.append(entry)
    byId('wallets').hidden = wallets.length < 2
  })
  dispatchEvent(new Event('eip6963:requestProvider'))

  const wallet = () => wallets.length > 0 ? wallets[Number(walletChoice.value)].provider : window.ethereum

  class Stop extends Error {}
  const declined = thrown => thrown && thrown.code === 4001

  const chainOf = async provider => Number(await provider.request({ method: 'eth_chainId' }))

  const switchTo = async (provider, { chainId, network }) => {
    if (await chainOf(provider) === chainId) return
    say('Your wallet is asked to switch to ' + network + '.')
    const wrong = 'Your wallet is on another network. Switch it to ' + network + ' and try again. Nothing was paid.'
    try {
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x' + chainId.toString(16) }] })
    } catch {
      throw new Stop(wrong)
    }
    if (await chainOf(provider) !== chainId) throw new Stop(wrong)
  }

  const hex = bytes => '0x' + Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  const fields = list => list.map(field => { const [type, name] = field.split(' '); return { name, type } })

  const sign = async (provider, from, { accepts, chainId }) => {
    const now = Math.floor(Date.now() / 1000)
    const authorization = {
      from,
      to: accepts.payTo,
      value: accepts.amount,
      validAfter: String(now - 600),
      validBefore: String(now + accepts.maxTimeoutSeconds),
      nonce: hex(crypto.getRandomValues(new Uint8Array(32))),
    }
    const typed = {
      types: {
        EIP712Domain: fields(['string name', 'string version', 'uint256 chainId', 'address verifyingContract']),
        TransferWithAuthorization: fields(['address from', 'address to', 'uint256 value', 'uint256 validAfter', 'uint256 validBefore', 'bytes32 nonce']),
      },
      domain: { name: accepts.extra.name, version: accepts.extra.version, chainId, verifyingContract: accepts.asset },
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    }
    const signature = await provider.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(typed)] })
    const payment = { x402Version: 2, resource: quote.resource, accepted: accepts, payload: { authorization, signature } }
    if (quote.extensions) payment.extensions = quote.extensions
    return base64(JSON.stringify(payment))
  }

  const signed = async () => {
    const provider = wallet()
    if (!provider) throw new Stop('No wallet was found in this browser. Install one, or open this page in the browser of your wallet.')
    try {
      say('Your wallet is asked for your account.')
      const [account] = await provider.request({ method: 'eth_requestAccounts' })
      if (!account) throw new Stop('Your wallet has named no account. Nothing was paid.')
      await switchTo(provider, option())
      say('Your wallet is asked for your signature.')
      return await sign(provider, account, option())
    } catch (thrown) {
      if (thrown instanceof Stop) throw thrown
      if (declined(thrown)) throw new Stop('You declined in your wallet. Nothing was paid.')
      throw new Stop('Your wallet could not sign this payment. Nothing was paid.')
    }
  }

  const problemOf = async response => {
    try { return await response.json() } catch { return {} }
  }
  const isProblem = response => (response.headers.get('content-type') ?? '').includes('problem+json')
  const wait = seconds => new Promise(resolve => setTimeout(resolve, seconds * 1000))

  const ask = async payment => {
    for (;;) {
      let response
      try {
        response = await fetch(location.href, {
          headers: {
            'PAYMENT-SIGNATURE': payment,
            'Octagent-Paywall': '1',
            accept: 'text/html,*/*;q=0.8',
          },
          cache: 'no-store',
        })
      } catch {
        throw new Stop('The answer did not arrive. Ask again: you are not charged twice.')
      }
      if (response.status !== 202 || !isProblem(response)) return response
      say('The payment is being confirmed.')
      await wait(Number(response.headers.get('retry-after')) || 2)
    }
  }

  const receiptOf = response => {
    try {
      return JSON.parse(atob(response.headers.get('payment-response')))
    } catch {
      return {}
    }
  }

  const element = (name, properties) => Object.assign(document.createElement(name), properties)

  const show = async response => {
    const type = response.headers.get('content-type') ?? ''
    const answer = byId('answer')
    const { transaction } = receiptOf(response)
    say(transaction ? 'Paid, with transaction ' + transaction + '.' : 'Paid.')
    byId('ask').hidden = true
    if (type.includes('text/html')) {
      if (response.headers.get('octagent-paywall') === 'reload') return location.reload()
      const text = await response.text()
      answer.append(element('iframe', { srcdoc: text, sandbox: '', title: 'The answer' }))
      return save(answer, new Blob([text], { type }))
    }
    if (type.startsWith('image/')) {
      const blob = await response.blob()
      answer.append(element('img', { src: URL.createObjectURL(blob), alt: 'The answer' }))
      return save(answer, blob)
    }
    if (type.includes('json') || type.startsWith('text/')) {
      const text = await response.text()
      let shown = text
      if (type.includes('json')) try { shown = JSON.stringify(JSON.parse(text), null, 2) } catch {}
      answer.append(element('pre', { textContent: shown }))
      return save(answer, new Blob([text], { type }))
    }
    save(answer, await response.blob())
  }

  const save = (answer, blob) => {
    answer.append(element('a', { href: URL.createObjectURL(blob), download: '', textContent: 'Save the answer' }))
  }

  const pay = async () => {
    if (form) {
      form.elements['pay.signature'].value = await signed()
      say('The payment is on its way.')
      return form.submit()
    }
    const before = stored()
    const payment = before ?? await signed()
    store(payment)
    say('The payment is on its way.')
    const response = await ask(payment)
    if (response.ok) return show(response)
    const { detail, charged } = isProblem(response) ? await problemOf(response) : {}
    if (response.status === 402) {
      store(null)
      throw new Stop('The payment was not taken: ' + (detail ?? 'it was refused.'))
    }
    throw new Stop((detail ?? 'The server answered ' + response.status + '.') + (charged === false ? ' Nothing was charged.' : ' Ask again: you are not charged twice.'))
  }

  const webln = byId('webln')
  if (webln && window.webln) {
    webln.hidden = false
    webln.addEventListener('click', async () => {
      try {
        await window.webln.enable()
        const { preimage } = await window.webln.sendPayment(webln.dataset.invoice)
        byId('preimage').value = preimage
        byId('preimage').form.submit()
      } catch {
        say('Your wallet did not pay.', true)
      }
    })
  }
  if (!button) return
  label()
  if (choice) choice.addEventListener('change', label)
  button.addEventListener('click', async () => {
    button.disabled = true
    try {
      await pay()
    } catch (thrown) {
      say(thrown instanceof Stop ? thrown.message : 'Something went wrong in this page. Reload it and try again.', true)
    } finally {
      button.disabled = false
    }
  })
})()
`
