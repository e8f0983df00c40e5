/**
 * The script of the pages for people who work. It signs requests with the wallet of the browser (ERC-8128 by personal_sign), hashes
 * files before it sends them, and writes text only, never HTML.
 */
export const script = String.raw`
(() => {
  'use strict'
  const base = document.body.dataset.base
  const make = (tag, fields = {}, ...children) => {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(fields))
      if (name in element && name !== 'list') element[name] = value
      else element.setAttribute(name, value)
    element.append(...children)
    return element
  }
  const toHex = bytes => Array.from(new Uint8Array(bytes), byte => byte.toString(16).padStart(2, '0')).join('')
  const toBase64 = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  const fromHex = hex => Uint8Array.from(hex.slice(2).match(/../g), pair => parseInt(pair, 16))
  const sha256 = data => crypto.subtle.digest('SHA-256', data)
  const words = text => text.replaceAll('_', ' ')
  const time = text => text.slice(0, 16).replace('T', ' ') + ' UTC'

  const here = document.querySelector('[data-here]')
  if (here && navigator.geolocation) {
    here.hidden = false
    here.addEventListener('click', () => {
      here.disabled = true
      navigator.geolocation.getCurrentPosition(({ coords }) => {
        const form = here.closest('form')
        form.elements.near_lat.value = coords.latitude.toFixed(5)
        form.elements.near_lng.value = coords.longitude.toFixed(5)
        form.submit()
      }, () => { here.disabled = false })
    })
  }

  const box = document.querySelector('.work')
  if (!box) return
  const view = box.querySelector('[data-view]')
  const line = box.querySelector('[data-say]')
  const say = (text, bad = false) => {
    line.textContent = text
    line.className = bad ? 'say bad' : 'say'
  }
  const show = (...children) => view.replaceChildren(...children)
  let account

  const sign = async (method, url, body) => {
    const { host, protocol, pathname, search } = new URL(url)
    const created = Math.floor(Date.now() / 1000)
    const headers = {}
    if (body !== undefined) {
      headers['content-digest'] = 'sha-256=:' + toBase64(await sha256(new TextEncoder().encode(body))) + ':'
      headers['content-type'] = 'application/json'
    }
    const covered = {
      '@scheme': protocol.slice(0, -1), '@authority': host, '@method': method,
      '@path': pathname, '@query': search || '?', ...headers,
    }
    const names = Object.keys(covered).map(name => '"' + name + '"').join(' ')
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(16)))
    const input = '(' + names + ');created=' + created + ';expires=' + (created + 240) + ';nonce="' + nonce +
      '";keyid="eip155:8453:' + account.toLowerCase() + '";tag="erc8128"'
    const lines = Object.entries(covered).map(([name, value]) => '"' + name + '": ' + value)
    const message = [...lines, '"@signature-params": ' + input].join('\n')
    const params = ['0x' + toHex(new TextEncoder().encode(message)), account]
    const signature = await window.ethereum.request({ method: 'personal_sign', params })
    return { ...headers, 'signature-input': 'request=' + input, signature: 'request=:' + toBase64(fromHex(signature)) + ':' }
  }

  const ask = async (method, path, input) => {
    const url = base + '/api/v1' + path
    const body = input === undefined ? undefined : JSON.stringify(input)
    say('Confirm the request in your wallet.')
    const headers = await sign(method, url, body)
    say('Sending.')
    const response = await fetch(url, { method, headers, body })
    const answer = await response.json()
    if (response.ok) {
      say('')
      return answer
    }
    throw Object.assign(new Error(answer.detail || 'It was refused.'), { answer })
  }

  /** Runs what a button or a form starts, once at a time, and says what went wrong. */
  const run = async work => {
    const buttons = [...view.querySelectorAll('button')]
    for (const button of buttons) button.disabled = true
    try {
      await work()
    } catch (error) {
      if (error.answer && error.answer.reason === 'not_registered') {
        showRegister()
        say('Say who you are first.')
      } else say(error.code === 4001 ? 'You refused it in your wallet.' : error.message || 'It did not work.', true)
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }
  const button = (text, work, plain = false) => {
    const element = make('button', { type: 'button', textContent: text, className: plain ? 'plain' : '' })
    element.addEventListener('click', () => run(work))
    return element
  }
  const form = (submit, work, ...children) => {
    const element = make('form', {}, ...children, make('button', { type: 'submit', textContent: submit }))
    element.addEventListener('submit', event => {
      event.preventDefault()
      void run(() => work(element))
    })
    return element
  }
  let fields = 0
  const field = (label, input) => {
    input.id = 'field-' + ++fields
    return make('div', {}, make('label', { htmlFor: input.id, textContent: label }), input)
  }
  const facts = pairs => {
    const list = make('dl')
    for (const [name, value] of pairs)
      if (value !== null && value !== undefined)
        list.append(make('dt', { textContent: name }), make('dd', { textContent: value }))
    return list
  }

  const showRegister = () => {
    const name = make('input', { name: 'name', required: true, maxLength: 60, autocomplete: 'nickname' })
    const skills = make('input', { name: 'skills', maxLength: 600 })
    show(form('Register', async () => {
      const list = skills.value.split(',').map(text => text.trim()).filter(text => text !== '').slice(0, 20)
      await ask('POST', '/workers/register', { kind: 'human', name: name.value.trim(), skills: list })
      say('You are registered.')
      start()
    }, field('Your name, as publishers see it', name), field('Skills, with commas between', skills)))
  }

  const fileTypes = { photo: 'image/*', photo_geo: 'image/*', screenshot: 'image/*', video: 'video/*',
    document: '', receipt: '', signature: '', notarized: '', file_artifact: '' }
  const jsonTypes = ['json_response', 'structured_data', 'api_response', 'timestamp_proof']

  const upload = async (task, file) => {
    say('Hashing ' + file.name + '.')
    const digest = toHex(await sha256(await file.arrayBuffer()))
    const address = await ask('POST', '/evidence/presign-upload',
      { task_id: task.task_id, sha256: digest, bytes: file.size, content_type: file.type || 'text/plain' })
    if (address.state === 'pending') {
      say('Sending ' + file.name + '.')
      const response = await fetch(address.upload_url, { method: 'PUT', headers: address.headers, body: file })
      if (!response.ok) {
        const answer = await response.json().catch(() => ({}))
        throw new Error(answer.detail || 'The file was refused.')
      }
    }
    return address.file_id
  }

  /** The fields of one type of evidence, and what reads them. */
  const evidenceFields = (task, type) => {
    const set = make('fieldset', {}, make('legend', { textContent: words(type) }))
    const add = (label, element) => {
      set.append(field(label, element))
      return element
    }
    const read = []
    if (type in fileTypes) {
      const file = add('File', make('input', { type: 'file', required: true, accept: fileTypes[type] }))
      read.push(async () => ({ file_id: await upload(task, file.files[0]), captured_at: new Date(file.files[0].lastModified).toISOString() }))
    }
    if (type === 'photo_geo') {
      const lat = add('Latitude where it was taken', make('input', { required: true, inputMode: 'decimal' }))
      const lng = add('Longitude', make('input', { required: true, inputMode: 'decimal' }))
      let accuracy
      if (navigator.geolocation) set.append(button('Use my location', () => new Promise(done =>
        navigator.geolocation.getCurrentPosition(({ coords }) => {
          lat.value = coords.latitude.toFixed(6)
          lng.value = coords.longitude.toFixed(6)
          accuracy = Math.min(100000, Math.round(coords.accuracy))
          done()
        }, () => {
          say('The browser does not tell your location.', true)
          done()
        })), true))
      read.push(async () => ({ geo: { lat: Number(lat.value), lng: Number(lng.value), ...(accuracy && { accuracy_m: accuracy }) } }))
    }
    if (type === 'measurement') {
      const value = add('Value', make('input', { required: true, inputMode: 'decimal' }))
      const unit = add('Unit', make('input', { required: true, maxLength: 30 }))
      read.push(async () => ({ value: { value: Number(value.value.replace(',', '.')), unit: unit.value } }))
    }
    if (type === 'url_reference' || type === 'api_response') {
      const url = add('Address (https)', make('input', { type: 'url', required: true }))
      read.push(async () => ({ url: url.value }))
    }
    if (jsonTypes.includes(type)) {
      const json = add('JSON', make('textarea', { required: true }))
      read.push(async () => {
        try {
          return { value: JSON.parse(json.value) }
        } catch {
          throw new Error(words(type) + ': this is not JSON.')
        }
      })
    }
    if (read.length === 0) {
      const text = add('Text', make('textarea', { required: true }))
      read.push(async () => ({ value: text.value }))
    }
    return { set, read: async () => Object.assign({ type }, ...(await inTurn(read))) }
  }
  const inTurn = async works => {
    const results = []
    for (const work of works) results.push(await work())
    return results
  }

  const showSubmit = task => {
    const all = task.evidence_required.map(type => evidenceFields(task, type))
    const notes = make('textarea', { maxLength: 2000 })
    show(form('Hand in', async () => {
      const evidence = await inTurn(all.map(({ read }) => read))
      const submission = await ask('POST', '/tasks/' + task.task_id + '/submit',
        { task_id: task.task_id, evidence, notes: notes.value })
      showSubmission(submission)
    }, ...all.map(({ set }) => set), field('A word to the reviewer', notes)))
  }

  const showSubmission = submission => {
    const list = make('ul')
    for (const { check, result, detail } of submission.findings)
      list.append(make('li', { textContent: words(check) + ': ' + result + '. ' + detail }))
    show(make('p', { textContent: 'Your work is handed in. Unreviewed, it counts as accepted after 48 hours.' }),
      ...(submission.findings.length > 0 ? [make('p', { textContent: 'What the reviewer is shown; it decides nothing:' }), list] : []),
      refresh(submission.task_id))
  }

  const refresh = id => button('Look again', async () => showTask(await ask('GET', '/tasks/' + id)), true)

  const showTask = task => {
    const mine = task.executor_id !== null && task.executor_id.endsWith(account.toLowerCase())
    const { payment } = task
    const state = facts([['Task', task.title], ['State', words(task.status)], ['Paid to you', mine ? payment.released_usd + ' USD' : null],
      ['In escrow', mine ? payment.in_escrow_usd + ' USD' : null], ['Until', task.due ? time(task.due) : null]])
    if (task.status === 'published') return showApply(task.task_id)
    if (!mine) return show(state)
    if (task.status === 'accepted')
      return show(state, button('Start', async () => showTask(await ask('POST', '/tasks/' + task.task_id + '/start', { task_id: task.task_id }))))
    if (task.status === 'in_progress') {
      showSubmit(task)
      return view.prepend(state)
    }
    return show(state, make('p', { textContent: {
      submitted: 'Your work waits for the review.',
      verifying: 'Your work was rejected. You may dispute that until the time is over.',
      disputed: 'An arbiter decides.',
      completed: 'It is done, and you were paid ' + payment.released_usd + ' USD.',
      expired: 'Its time was over.',
      cancelled: 'It was cancelled.',
    }[task.status] || '' }), refresh(task.task_id))
  }

  const showApply = id => {
    const message = make('textarea', { maxLength: 1000 })
    show(form('Apply', async () => {
      await ask('POST', '/tasks/' + id + '/apply', { task_id: id, message: message.value })
      show(make('p', { textContent: 'You have applied. The publisher picks one of the applications.' }), refresh(id))
    }, field('Why you', message)), refresh(id))
  }

  const showMine = async () => {
    const { tasks } = await ask('GET', '/tasks?role=worker')
    const list = make('ul', { className: 'tasks' })
    for (const task of tasks)
      list.append(make('li', {}, make('a', { href: base + '/work/tasks/' + task.task_id, textContent: task.title }),
        make('p', { className: 'facts', textContent: words(task.status) + ' · paid ' + task.payment.released_usd + ' of ' + task.payment.bounty_usd + ' USD' })))
    show(tasks.length > 0 ? list : make('p', { textContent: 'No task is or was assigned to you.' }))
  }

  const start = () => {
    const { task } = box.dataset
    const connected = make('p', { className: 'facts', textContent: 'Wallet ' + account })
    if (task === undefined) return show(connected, button('Show my tasks', showMine))
    const open = document.querySelector('dl .bounty') !== null
    if (open) {
      showApply(task)
      view.prepend(connected)
    } else show(connected, button('Show the task', async () => showTask(await ask('GET', '/tasks/' + task))))
  }

  if (!window.ethereum) {
    show(make('p', { textContent: 'To apply and to hand in work, open this page in a browser with an Ethereum wallet.' }))
    return
  }
  show(make('p', { textContent: 'Your wallet is your account: it signs each request, and signing costs nothing.' }),
    button('Connect wallet', async () => {
      const accounts = await window.ethereum.request({ method: 'eth_requestAccounts' })
      account = accounts[0]
      if (!account) throw new Error('The wallet gave no account.')
      start()
    }))
})()
`
