/**
 * What the pages do better with scripts: local times, the place of the device, uploads with progress that go on where they broke off,
 * drafts, and payments by the wallet of the browser (x402: EIP-3009, EIP-712). Every form works without it but the payments. It writes
 * text only, never HTML.
 */
export const script = `
(() => {
  'use strict'
  const { base, site } = document.body.dataset
  const all = (selector, within = document) => [...within.querySelectorAll(selector)]
  const toHex = bytes => Array.from(new Uint8Array(bytes), byte => byte.toString(16).padStart(2, '0')).join('')

  const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  for (const time of all('time[datetime]')) time.textContent = local.format(new Date(time.dateTime))

  /** The line below a form that says how far it is, and what went wrong. */
  const lineOf = form => {
    let line = form.nextElementSibling
    while (line && !line.matches('[data-say]')) line = line.nextElementSibling
    return line
  }
  const say = (form, text, bad = false) => {
    const line = lineOf(form)
    if (!line) return
    line.textContent = text
    line.className = bad ? 'say bad' : 'say'
  }

  const locate = (done, fail) => navigator.geolocation.getCurrentPosition(({ coords }) => done(coords), fail, { enableHighAccuracy: true, timeout: 20000 })
  const here = document.querySelector('[data-here]')
  if (here && navigator.geolocation) {
    here.hidden = false
    here.addEventListener('click', () => {
      here.disabled = true
      locate(coords => {
        const { elements } = here.form
        elements.near_lat.value = coords.latitude.toFixed(5)
        elements.near_lng.value = coords.longitude.toFixed(5)
        here.form.submit()
      }, () => { here.disabled = false })
    })
  }
  for (const set of all('[data-geo]')) {
    const button = set.querySelector('[data-locate]')
    if (!navigator.geolocation) continue
    button.hidden = false
    button.addEventListener('click', () => locate(coords => {
      set.querySelector('[name$=".lat|number"]').value = coords.latitude.toFixed(6)
      set.querySelector('[name$=".lng|number"]').value = coords.longitude.toFixed(6)
      set.querySelector('[data-accuracy]').value = String(Math.min(100000, Math.round(coords.accuracy)))
    }, () => say(button.form, 'The browser does not tell your location.', true)))
  }

  /** Keeps what was written, in this browser, until it is sent. */
  const draftName = form => 'draft ' + form.getAttribute('action') + ' ' + form.elements._operation.value + ' ' + (form.elements._key ? form.elements._key.value : '')
  const forms = all('form[method=post]').filter(form => form.elements._operation)
  const done = new URLSearchParams(location.search).get('done')
  for (const form of forms) {
    const name = draftName(form)
    const inputs = [...form.elements].filter(({ type }) => type === 'textarea')
    try {
      if (done === form.elements._operation.value) localStorage.removeItem(name)
      const draft = JSON.parse(localStorage.getItem(name) || '{}')
      for (const input of inputs) if (input.value === '' && draft[input.name]) input.value = draft[input.name]
    } catch {}
    form.addEventListener('input', () => {
      try {
        localStorage.setItem(name, JSON.stringify(Object.fromEntries(inputs.map(input => [input.name, input.value]))))
      } catch {}
    })
    form.addEventListener('submit', () => {
      try { if (!form.matches('[data-upload],[data-pay]')) localStorage.removeItem(name) } catch {}
    })
  }
  if (done) history.replaceState(null, '', location.pathname)

  const post = (form, fields, headers = {}) => fetch(form.getAttribute('action'), {
    method: 'POST', body: new URLSearchParams(fields), headers: { accept: 'application/json', ...headers },
  })
  const problemOf = async response => {
    const { detail, hint } = await response.json().catch(() => ({}))
    return new Error([detail || 'It did not work.', hint].filter(Boolean).join(' '))
  }
  /** Runs what a form does once at a time, and says what went wrong. */
  const whileBusy = async (form, work) => {
    const buttons = all('button', form)
    for (const button of buttons) button.disabled = true
    try {
      await work()
    } catch (error) {
      say(form, error.code === 4001 ? 'You refused it in your wallet.' : error.message || 'It did not work.', true)
      for (const button of buttons) button.disabled = false
    }
  }

  const wait = ms => new Promise(resolve => setTimeout(resolve, ms))
  const put = (url, headers, file, onProgress) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('error', () => reject(new TypeError('The connection broke off.')))
    request.addEventListener('load', () => {
      if (request.status < 300) return resolve()
      let detail = 'The file was refused.'
      try { detail = JSON.parse(request.responseText).detail || detail } catch {}
      reject(new Error(detail))
    })
    request.send(file)
  })

  /** Sends one file; what has arrived before is not sent again, and a connection that breaks off is tried anew. */
  const upload = async (form, file, onProgress) => {
    const sha256 = toHex(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await post(form, {
          _operation: 'presign_upload', task_id: form.elements.task_id.value, sha256,
          'bytes|number': String(file.size), content_type: file.type || 'text/plain',
        })
        if (!response.ok) throw await problemOf(response)
        const { output } = await response.json()
        const url = output.upload_url.startsWith(site) ? base + output.upload_url.slice(site.length) : output.upload_url
        if (output.state === 'pending') await put(url, output.headers, file, onProgress)
        return output.file_id
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        if (attempt === 4) throw new Error('The connection broke off. Press the button again: what has arrived is kept.')
        say(form, 'The connection broke off. Trying again.')
        await wait(attempt * 1500)
      }
    }
  }

  const uploadAll = async form => {
    const inputs = [...form.elements].filter(({ type, files }) => type === 'file' && files.length > 0)
    const total = inputs.flatMap(({ files }) => [...files]).reduce((sum, { size }) => sum + size, 0)
    const bar = form.nextElementSibling && form.nextElementSibling.matches('progress') ? form.nextElementSibling : undefined
    const show = sent => {
      if (!bar) return
      bar.hidden = false
      bar.max = total
      bar.value = sent
    }
    let sent = 0
    for (const input of inputs) {
      const ids = []
      for (const file of input.files) {
        say(form, 'Sending ' + file.name + '.')
        ids.push(await upload(form, file, loaded => show(sent + loaded)))
        sent += file.size
        show(sent)
      }
      const add = (name, value) => form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
      add(input.name + '.uploaded', ids.join(' '))
      if (/^evidence/.test(input.name)) add(input.name.replace(/file$/, 'captured_at'), new Date(input.files[0].lastModified).toISOString())
      input.disabled = true
    }
  }
  for (const form of all('form[data-upload]'))
    form.addEventListener('submit', event => {
      if (![...form.elements].some(({ type, files }) => type === 'file' && files.length > 0)) return
      event.preventDefault()
      void whileBusy(form, async () => {
        await uploadAll(form)
        form.submit()
      })
    })

  const bounty = document.querySelector('[data-bounty]')
  const fee = document.querySelector('[data-fee]')
  if (bounty && fee) bounty.form.addEventListener('input', () => {
    const amount = Number(bounty.value.replace(',', '.')) * (Number(bounty.form.elements['workers|number'].value) || 1)
    if (!(amount > 0)) return
    fee.querySelector('[data-of]').textContent = bounty.value
    fee.querySelector('[data-total]').textContent = (amount * (1 + Number(fee.dataset.fee) / 100)).toFixed(2) + ' USD'
  })

  const wallets = []
  addEventListener('eip6963:announceProvider', ({ detail }) => { if (detail && detail.provider) wallets.push(detail.provider) })
  dispatchEvent(new Event('eip6963:requestProvider'))

  const typesOf = text => text.split(',').map(field => { const [type, name] = field.split(' '); return { name, type } })

  const findWallet = () => {
    const wallet = wallets[0] || window.ethereum
    if (!wallet) throw new Error('This browser has no wallet. Open the page in the browser of your wallet.')
    return wallet
  }
  /** The address of a wallet, which is on this chain then. */
  const connect = async (wallet, chainId) => {
    const [from] = await wallet.request({ method: 'eth_requestAccounts' })
    if (Number(await wallet.request({ method: 'eth_chainId' })) !== chainId)
      await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x' + chainId.toString(16) }] })
    return from
  }

  /** Signs the payment that was asked for; undefined where the wallet is on no chain that is taken. */
  const signPayment = async (quote, wallet) => {
    const accepts = quote.accepts.find(({ scheme, network }) => scheme === 'exact' && network.startsWith('eip155:'))
    if (!accepts) throw new Error('It cannot be paid by a wallet here.')
    const chainId = Number(accepts.network.slice(7))
    const from = await connect(wallet, chainId)
    const now = Math.floor(Date.now() / 1000)
    const authorization = {
      from, to: accepts.payTo, value: accepts.amount, validAfter: String(now - 600),
      validBefore: String(now + accepts.maxTimeoutSeconds), nonce: '0x' + toHex(crypto.getRandomValues(new Uint8Array(32))),
    }
    const { name, version } = accepts.extra
    const typed = {
      types: {
        EIP712Domain: typesOf('string name,string version,uint256 chainId,address verifyingContract'),
        TransferWithAuthorization: typesOf('address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce'),
      },
      domain: { name, version, chainId, verifyingContract: accepts.asset },
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    }
    const signature = await wallet.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(typed)] })
    const payment = { x402Version: 2, resource: quote.resource, accepted: accepts, payload: { authorization, signature } }
    if (quote.extensions) payment.extensions = quote.extensions
    return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(payment))))
  }

  const pay = async form => {
    const fields = [...new FormData(form)]
    let response = await post(form, fields)
    const asked = response.status === 402 && response.headers.get('payment-required')
    if (asked) {
      const wallet = findWallet()
      say(form, 'Confirm the payment in your wallet.')
      const payment = await signPayment(JSON.parse(atob(asked)), wallet)
      say(form, 'Paying.')
      do {
        response = await post(form, fields, { 'PAYMENT-SIGNATURE': payment })
        if (response.status === 202) await wait(2000)
      } while (response.status === 202)
    }
    if (!response.ok) throw await problemOf(response)
    location.assign((await response.json()).location)
  }
  for (const form of all('form[data-pay]'))
    form.addEventListener('submit', event => {
      event.preventDefault()
      void whileBusy(form, () => pay(form))
    })

  /** Registered(uint256 indexed agentId, string agentURI, address indexed owner) of ERC-8004. */
  const registeredTopic = '0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a'
  /** Lets the wallet send the transaction that a form is answered with, and links the identity that it made. */
  const send = async form => {
    const response = await post(form, [...new FormData(form)])
    if (!response.ok) throw await problemOf(response)
    const { output, location: next } = await response.json()
    const call = output.data === undefined ? output.transaction : output
    if (!call) return location.assign(next)
    const wallet = findWallet()
    const from = await connect(wallet, call.chain_id)
    say(form, 'Confirm the transaction in your wallet.')
    const hash = await wallet.request({ method: 'eth_sendTransaction', params: [{ from, to: call.to, data: call.data, value: '0x0' }] })
    say(form, 'Sent as ' + hash + '. Waiting for the chain.')
    let receipt
    while (!(receipt = await wallet.request({ method: 'eth_getTransactionReceipt', params: [hash] }))) await wait(2000)
    if (Number(receipt.status) !== 1) throw new Error('The chain refused the transaction ' + hash + '.')
    const made = receipt.logs.find(({ topics }) => topics[0] === registeredTopic)
    if (made) {
      const linked = await post(form, { _operation: 'register_identity', agent_id: BigInt(made.topics[1]).toString() })
      if (!linked.ok) throw await problemOf(linked)
    }
    location.assign(next)
  }
  for (const form of all('form[data-send]'))
    form.addEventListener('submit', event => {
      event.preventDefault()
      void whileBusy(form, () => send(form))
    })
})()
`
