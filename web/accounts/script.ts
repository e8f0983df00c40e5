import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The package of the browser's side, as one classic script; its `exports` name only its modules. */
const readBundle = (): string => {
  const main = createRequire(import.meta.url).resolve('@simplewebauthn/browser')
  return readFileSync(join(dirname(main), '..', 'dist', 'bundle', 'index.umd.min.js'), 'utf8')
}

/**
 * What runs on the pages that ask for a key. Buttons say what they do by `data-passkey` and `data-wallet`; wallets are found by EIP-6963,
 * else the injected one is asked. Whatever comes from elsewhere is put into the page as text.
 */
const own = `
(() => {
  'use strict'
  const box = document.querySelector('[data-keys]')
  if (!box) return
  const { base, back } = box.dataset
  const status = document.getElementById('status')
  const choice = document.getElementById('wallet')
  const buttons = [...box.querySelectorAll('button')]
  const wallets = []

  const say = (text, isBad = false) => {
    status.textContent = text
    status.classList.toggle('bad', isBad)
    if (isBad) status.scrollIntoView({ block: 'nearest' })
  }

  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (!info || !provider || wallets.some(({ uuid }) => uuid === info.uuid)) return
    wallets.push({ uuid: info.uuid, provider })
    const entry = document.createElement('option')
    entry.textContent = String(info.name)
    entry.value = String(wallets.length - 1)
    choice.append(entry)
    document.getElementById('wallets').hidden = wallets.length < 2
  })
  dispatchEvent(new Event('eip6963:requestProvider'))

  const ask = async (path, input) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    const answer = await response.json().catch(() => ({}))
    if (response.ok) return answer
    if (response.status === 401 && answer.location) location.assign(answer.location)
    throw Object.assign(new Error([answer.detail || 'It did not work.', answer.hint].filter(Boolean).join(' ')), { answer })
  }

  const hex = text => '0x' + Array.from(new TextEncoder().encode(text), byte => byte.toString(16).padStart(2, '0')).join('')

  const byPasskey = async purpose => {
    const { browserSupportsWebAuthn, startAuthentication, startRegistration } = SimpleWebAuthnBrowser
    if (!browserSupportsWebAuthn()) throw new Error('This browser has no passkeys. Use a wallet, or another browser.')
    const name = purpose === 'create' ? document.getElementById('name').value : undefined
    const { id, options } = await ask('/passkey/start', { purpose, name })
    say('Confirm with your device.')
    const response = await (purpose === 'sign-in' || purpose === 'prove' ? startAuthentication : startRegistration)({ optionsJSON: options })
    say('Checking.')
    try {
      return await ask('/passkey/finish', { id, response, return: back })
    } catch (error) {
      const forget = PublicKeyCredential.signalUnknownCredential
      if (error.answer?.reason === 'unknown_key' && forget)
        await forget.call(PublicKeyCredential, { rpId: options.rpId, credentialId: response.id }).catch(() => {})
      throw error
    }
  }

  const byWallet = async purpose => {
    const provider = wallets.length > 0 ? wallets[Number(choice.value)].provider : window.ethereum
    if (!provider) throw new Error('This browser has no wallet. Sign the message elsewhere: open "Without a wallet in this browser" below.')
    say('Choose an account in your wallet.')
    const [address] = await provider.request({ method: 'eth_requestAccounts' })
    const chain_id = Number(await provider.request({ method: 'eth_chainId' }))
    const { id, message } = await ask('/wallet/start', { purpose, address, chain_id })
    say('Sign the message in your wallet. It costs nothing.')
    const signature = await provider.request({ method: 'personal_sign', params: [hex(message), address] })
    say('Checking.')
    return ask('/wallet/finish', { id, signature, return: back })
  }

  const explain = error => {
    if (error.code === 4001) return 'You refused it in your wallet.'
    if (error.name === 'NotAllowedError') return 'It was cancelled, or took too long. Try again.'
    if (error.name === 'InvalidStateError') return 'This device already has a passkey of your account.'
    if (error.name === 'SecurityError') return 'This browser makes no passkeys for this address.'
    return error.message || 'It did not work.'
  }

  const run = async work => {
    for (const button of buttons) button.disabled = true
    try {
      const { location: next } = await work()
      location.assign(next)
    } catch (error) {
      say(explain(error), true)
      for (const button of buttons) button.disabled = false
    }
  }

  for (const button of buttons) {
    const { passkey, wallet } = button.dataset
    if (passkey) button.addEventListener('click', () => run(() => byPasskey(passkey)))
    if (wallet) button.addEventListener('click', () => run(() => byWallet(wallet)))
  }
  const create = document.getElementById('create')
  if (create) create.addEventListener('submit', event => {
    event.preventDefault()
    void run(() => byPasskey('create'))
  })
  addEventListener('pageshow', () => { for (const button of buttons) button.disabled = false })
})()
`

let script: string | undefined

/** The script of the pages that ask for a key, in one piece. */
export const keysScript = (): string => {
  script ??= `${readBundle()}\n${own}`
  return script
}
