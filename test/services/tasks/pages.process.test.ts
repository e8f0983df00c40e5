// Costs: one Chromium plays a worker's and a publisher's whole way on the pages.
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPayouts } from '../../../mcp/payment/payouts.ts'
import { inBrowser, look, openBrowser } from '../../express/browser.ts'
import { scene, toJpeg } from '../../lib/image/pictures.ts'
import { canPay, openTestDevnet } from '../../payment/evm-chain.ts'
import { arbiter, geo, type Hall, hallTask, openHall, signInByHand, upload } from './hall.ts'

const hostile = {
  title: '<script>document.title="taken"</script><img src=x onerror=alert(1)>',
  instructions: `"><svg onload=alert(1)> javascript:alert(1) ${'W'.repeat(300)} </p></main><style>body{display:none}</style>`,
  location_hint: '\'"><b onmouseover=alert(1)>Main Street</b>',
}

let hall: Hall
let open = ''
let strange = ''
let closeChain: () => unknown
beforeAll(async () => {
  const chain = canPay ? await openTestDevnet() : undefined
  closeChain = () => chain?.close()
  const keys = chain && (await chain.devnet.keys())
  const payouts =
    chain &&
    keys &&
    openPayouts({ chain: chain.devnet.chain('base'), key: async () => keys.payTo, confirmations: 1 })
  hall = await openHall({ ports: { ...(payouts && { payouts }) } })
  const publisher = await hall.person()
  open = (await publisher.get('publish_task', hallTask)).task_id ?? ''
  strange = (await publisher.get('publish_task', { ...hallTask, ...hostile })).task_id ?? ''
})
afterAll(async () => {
  await hall?.stop()
  await closeChain?.()
})

const origin = () => hall.site.replace('127.0.0.1', 'localhost')

const read = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${origin()}/tasks${path}`, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('the pages without scripts', () => {
  test('list open tasks near a place, by words, kind, pay and time', async () => {
    const near = await read('/work?near_lat=39.78&near_lng=-89.65&radius_m=5000')
    expect(near.status).toBe(200)
    expect(near.text).toContain(`<a href="/tasks/work/tasks/${open}">Is the bakery open?</a>`)
    expect(near.text).toMatch(
      /5\.00 USD<\/span> · physical presence · <time [^>]*>[^<]* UTC<\/time> \(in 24 hours\) · Main Street 1, Springfield · \d+ m away · from <a href="\/tasks\/work\/people\/eip155:8453:0x\w{40}">0x\w{4}…\w{4}<\/a> · not in escrow yet/,
    )
    expect((await read('/work?near_lat=48&near_lng=11')).text).toContain(
      'There is no such task at the moment.',
    )
    expect((await read('/work?query=bakery')).text).toContain(open)
    for (const query of [
      'category=creative&query=',
      'min_bounty_usd=6',
      'min_hours_left=48',
      'funded_only=true',
      'publisher_id=x',
    ])
      expect((await read(`/work?${query}`)).text, query).not.toContain(open)
    expect((await read('/work?min_bounty_usd=5&min_hours_left=2')).text).toContain(open)
  })

  test('say what is wrong with a search', async () => {
    for (const query of ['near_lat=39', 'near_lat=abc&near_lng=1', 'category=x', 'radius_m=1', 'query=a']) {
      const { status, text } = await read(`/work?${query}`)
      expect([query, status]).toEqual([query, 422])
      expect(text).toContain('role="alert"')
    }
  })

  test('show a task with all that it asks for, and nothing of one that is under way', async () => {
    const { text } = await read(`/work/tasks/${open}`)
    for (const words of [
      hallTask.title,
      hallTask.instructions,
      '5.00 USD',
      'photo geo',
      'Main Street 1, Springfield',
      'https://www.openstreetmap.org/?mlat=39.7817&amp;mlon=-89.6501',
    ])
      expect(text).toContain(words)
    const { task_id } = await hall.taskUnderWay()
    const closed = await read(`/work/tasks/${task_id}`)
    expect(closed.status).toBe(403)
    expect(closed.text).not.toContain(hallTask.title)
    expect((await read('/work/tasks/task_0')).status).toBe(404)
  })

  test("keep strangers' words as text, under a policy that runs none of them", async () => {
    for (const path of [
      '/work',
      `/work/tasks/${strange}`,
      `/work?query=${encodeURIComponent('"><script>alert(1)</script>')}`,
    ]) {
      const { text, headers } = await read(path)
      expect(text).not.toMatch(/<script>|<img|<svg|<b |<style>body\{display/)
      expect(text.match(/<script/g)).toHaveLength(1)
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      )
    }
  })

  test('are served where people sign in, whichever name of this machine was asked', async () => {
    const asked = await fetch(`${hall.url}/work?query=bakery`, { redirect: 'manual' })
    expect([asked.status, asked.headers.get('location')]).toEqual([
      307,
      `${origin()}/tasks/work?query=bakery`,
    ])
  })

  test('take no form of another site, none that calls something else, and none of nobody', async () => {
    const cookie = await signIn(newWallet())
    const form = (operation: string, headers: Record<string, string>) =>
      read('/work/me', {
        method: 'POST',
        headers,
        body: new URLSearchParams({ _operation: operation, kind: 'human', name: 'Ada' }),
      })
    const own = { origin: origin(), 'sec-fetch-site': 'same-origin' }
    for (const foreign of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { ...own, 'sec-fetch-site': 'cross-site' },
    ])
      expect((await form('register_worker', { cookie, ...foreign })).status).toBe(403)
    expect((await form('cancel_task_now', { cookie, ...own })).status).toBe(422)
    const nobody = await form('register_worker', own)
    expect([nobody.status, nobody.text.includes('role="alert"')]).toEqual([401, true])
    expect((await form('register_worker', { cookie, ...own })).status).toBe(303)
  })

  test('write a task with a test, let a worker answer it, and give and refuse by hand', async () => {
    const [publisher, worker] = [newWallet(), newWallet()]
    const cookies = { publisher: await signIn(publisher), worker: await signIn(worker) }
    const post = (who: keyof typeof cookies, path: string, fields: Record<string, string>) =>
      read(path, {
        method: 'POST',
        headers: { origin: origin(), 'sec-fetch-site': 'same-origin', cookie: cookies[who] },
        body: new URLSearchParams(fields),
      })
    const look = async (who: keyof typeof cookies, path: string) =>
      (await read(path, { headers: { cookie: cookies[who] } })).text
    const written = {
      _operation: 'publish_task',
      title: 'Which doors open?',
      instructions: 'Go there and say which of the doors open.',
      category: 'verification',
      bounty_usd: '5.00',
      'deadline_hours|number': '24',
      'evidence_required|many': 'text_response',
      badge_required: 'Door inspector',
    }
    const wrong = await post('publisher', '/publish/new', { ...written, test_lines: 'No answer here' })
    expect([wrong.status, wrong.text.includes('has no right answer')]).toEqual([422, true])
    const unpaid = await post('publisher', '/publish/new', {
      ...written,
      escrow: 'direct',
      'repeat_hours|number': '24',
      'repeat_count|number': '3',
    })
    expect([unpaid.status, unpaid.text.includes('needs escrow: ledger')]).toEqual([422, true])
    expect(await look('publisher', '/publish')).not.toContain(written.title)
    const made = await post('publisher', '/publish/new', {
      ...written,
      test_lines: 'What is 1 + 1 = 2 | two\n\nWhat does PULL mean? = towards me',
      'test_pass|number': '50',
      'repeat_hours|number': '24',
      'repeat_count|number': '3',
    })
    const place = new URL(made.headers.get('location') ?? '', origin()).pathname.replace('/tasks', '')
    expect([made.status, place]).toEqual([303, expect.stringMatching(/^\/publish\/tasks\/task_/)])
    const task_id = place.split('/').at(-1) ?? ''
    const page = `/work/tasks/${task_id}`
    await post('worker', page, { _operation: 'register_worker', kind: 'human', name: 'Ada' })
    const shown = await look('worker', page)
    for (const words of ['What is 1 + 1', 'What does PULL mean?', '2 questions, 50 per cent right to apply'])
      expect(shown).toContain(words)
    expect(shown).not.toContain('towards me')
    const apply = { _operation: 'apply_to_task', task_id }
    expect((await post('worker', page, apply)).status).toBe(422)
    const answers = { 'answer.0': 'TWO', 'answer.1': 'away' }
    expect((await post('worker', page, { ...apply, ...answers })).status).toBe(303)
    expect(await look('publisher', place)).toMatch(/50 %[\s\S]*Door inspector/)
    expect(await look('worker', '/work/me')).toContain('Door inspector')
    const executor_id = `eip155:8453:${worker.address.toLowerCase()}`
    const given = { _operation: 'grant_badge', executor_id, badge: 'Baker' }
    expect((await post('publisher', place, given)).status).toBe(303)
    expect(await look('publisher', place)).toContain('Baker, Door inspector')
    expect(await look('publisher', place)).toContain('number 1 of 3')
    const stopped = { _operation: 'update_task', _key: 'repeat', task_id, 'stop_repeating|flag': 'true' }
    expect((await post('publisher', place, stopped)).status).toBe(303)
    expect(await look('publisher', place)).toContain('after 1: stopped by its publisher')
    const blocked = await post('publisher', place, { _operation: 'block_worker', executor_id })
    expect(blocked.status).toBe(303)
  })
})

type Wallet = ReturnType<typeof newWallet>
const newWallet = () => privateKeyToAccount(generatePrivateKey())

const signIn = (wallet: Wallet) => signInByHand(origin(), wallet)

inBrowser('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  /** A page whose wallet signs for a new account, as an extension would; `signatures` counts what it was asked for. */
  const openPage = async (options: BrowserContextOptions = {}, wallet = newWallet()) => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      bypassCSP: true,
      ...options,
    })
    const signatures: string[] = []
    await context.exposeFunction(
      'answerAsWallet',
      async (method: string, params: [`0x${string}`, string]) => {
        if (method === 'eth_requestAccounts') return [wallet.address]
        if (method === 'eth_chainId') return '0x2105'
        signatures.push(method)
        if (method !== 'personal_sign' || params[1] !== wallet.address) throw new Error('not asked for that')
        return wallet.signMessage({ message: { raw: params[0] } })
      },
    )
    await context.addInitScript(
      'window.ethereum = { request: ({ method, params }) => window.answerAsWallet(method, params) }',
    )
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', error => faults.push(error.message))
    let taps = 0
    const base = `${origin()}/tasks`
    return {
      page,
      context,
      faults,
      signatures,
      id: `eip155:8453:${wallet.address.toLowerCase()}`,
      /** Begins at the desk again, and counts what is pressed from there. */
      desk: async (path = '/work') => {
        taps = 0
        await page.goto(base + path)
      },
      /** Presses a link or a button by keyboard alone: it has to be reached and to work without a mouse. */
      press: async (role: 'link' | 'button', name: string | RegExp) => {
        taps += 1
        const target = page.getByRole(role, { name }).first()
        await target.focus()
        await target.press('Enter')
        await page.waitForLoadState()
      },
      fill: async (label: string | RegExp, text: string) => page.getByLabel(label).first().fill(text),
      /** A step is done: what it leads to is there, by three taps at most, and the page is sound. */
      reach: async (text: string | RegExp) => {
        await page.getByText(text).first().waitFor()
        expect(taps, String(text)).toBeLessThanOrEqual(3)
        await look(page, `desk ${String(text).slice(0, 40)}`)
      },
    }
  }

  test.each([390, 1280])('of %i pixels everything fits, and everybody can use it', async width => {
    const { page, context } = await openPage({ viewport: { width, height: 844 } })
    for (const path of [
      '/work',
      '/work?near_lat=39',
      '/work/mine',
      '/work/money',
      '/work/me',
      '/work/people',
      '/work/disputes',
      '/work/sessions',
      `/work/tasks/${open}`,
      `/work/tasks/${strange}`,
    ]) {
      await page.goto(`${origin()}/tasks${path}`)
      await look(page, path)
    }
    await context.close()
  })

  test('a worker goes the whole way by twelve steps, each within three taps, with one signature', async () => {
    const publisher = await hall.person()
    await hall.fund(publisher.id, 50_000_000n)
    const title = 'Is the florist open today?'
    const evidence_required = ['photo_geo', 'text_response', 'measurement']
    const { task_id = '' } = await publisher.get('publish_task', {
      ...hallTask,
      title,
      evidence_required,
      deposit: 'now',
    })
    const { page, context, faults, signatures, id, desk, press, fill, reach } = await openPage({
      permissions: ['geolocation'],
      geolocation: { latitude: geo.lat, longitude: geo.lng, accuracy: 12 },
    })

    // Somebody who knows no address but the first finds the desk by its name.
    await page.goto(`${origin()}/`)
    await press('link', 'Work')
    await reach('Open tasks')
    await desk()
    await press('button', 'Near me')
    await page.waitForURL(/near_lat/)
    await press('link', title)
    await reach('the bounty is in escrow')

    await desk()
    await press('link', 'Sign in')
    await press('button', 'Sign in with a wallet')
    await page.waitForURL(/\/tasks\/work$/)
    await desk()
    await press('link', 'Me')
    await fill('Your name', 'Ada')
    await fill('Skills, with commas between', 'photography, walking')
    await press('button', 'Register')
    await reach('You are registered.')

    await desk()
    await press('link', title)
    await fill('Ask the publisher', 'Is the side door enough?')
    await press('button', 'Ask')
    await reach('Your question is with the publisher.')
    const { questions } = (await publisher.ask('list_questions', { task_id })).body as {
      questions: { question_id: string }[]
    }
    await publisher.get('answer_question', { question_id: questions[0]?.question_id, answer: 'Yes, it is.' })

    await desk()
    await press('link', title)
    await page.getByText('Yes, it is.').waitFor()
    await fill('Why you', 'I live next door.')
    await press('button', 'Apply')
    await reach('You have applied.')
    const { applications } = (await publisher.ask('list_applications', { task_id })).body
    expect(applications).toMatchObject([{ executor_id: id, message: 'I live next door.' }])

    await desk()
    await press('link', 'My work')
    await reach('pending')
    await publisher.get('assign_worker', { task_id, executor_id: id })

    await desk()
    await press('link', 'My work')
    await press('link', title)
    await press('button', 'Start')
    await reach('You have started.')

    const photos = [77, 78].map(seed => ({
      name: `door-${seed}.jpg`,
      mimeType: 'image/jpeg',
      buffer: toJpeg(320, 240, scene(seed)),
    }))
    await desk()
    await press('link', 'My work')
    await press('link', title)
    await page.getByLabel('Photos').setInputFiles(photos)
    await page.getByRole('button', { name: 'Use my location' }).click()
    await fill('Text', 'It is open until six.')
    await fill('Value', '3,5')
    await fill('Unit', 'm')
    await press('button', 'Hand in')
    await reach('Your work is handed in.')
    const handedIn = async () => {
      const { submissions } = (await publisher.ask('list_submissions', { task_id })).body as {
        submissions: { submission_id: string; evidence: { type: string; geo: object; value: unknown }[] }[]
      }
      return submissions[0]
    }
    const first = await handedIn()
    expect(first?.evidence.map(({ type }) => type)).toEqual([
      'photo_geo',
      'photo_geo',
      'text_response',
      'measurement',
    ])
    expect(first?.evidence[0]?.geo).toEqual({ ...geo, accuracy_m: 12 })
    expect(first?.evidence[3]?.value).toEqual({ value: 3.5, unit: 'm' })
    expect(await page.locator('img').count()).toBe(2)

    await publisher.get('request_more_info', {
      submission_id: first?.submission_id,
      notes: 'Which day was it?',
    })
    await desk()
    await press('link', 'My work')
    await press('link', title)
    await reach('Which day was it?')
    await page.getByLabel('Photos').setInputFiles(photos.slice(0, 1))
    await page.getByRole('button', { name: 'Use my location' }).click()
    await fill('Text', 'It was Friday.')
    await fill('Value', '3.5')
    await fill('Unit', 'm')
    await press('button', 'Hand in')
    await reach('Your work is handed in.')

    await publisher.get('reject_submission', {
      submission_id: (await handedIn())?.submission_id,
      notes: 'That is another door.',
      severity: 'major',
    })
    await desk()
    await press('link', 'My work')
    await press('link', title)
    await reach('That is another door.')
    await fill('Why it should be paid', 'The number of the house can be read on both photos.')
    await page
      .getByLabel('Files that show it')
      .setInputFiles([{ name: 'map.jpg', mimeType: 'image/jpeg', buffer: toJpeg(320, 240, scene(79)) }])
    await press('button', 'Dispute the rejection')
    await reach('An arbiter decides now.')

    const judge = await openPage({}, privateKeyToAccount(arbiter.key))
    await judge.desk('/work/disputes')
    await judge.press('link', 'Sign in with a wallet')
    await judge.press('button', 'Sign in with a wallet')
    await judge.page.waitForURL(/\/tasks\/work\/disputes$/)
    await judge.desk()
    await judge.press('link', 'My work')
    await judge.press('link', 'Disputes')
    await judge.press('link', /The number of the house/)
    await judge.reach('Your verdict')
    expect(await judge.page.locator('img').count()).toBe(4)
    await judge.page.getByLabel('Who gets the money').selectOption('release')
    await judge.fill('Why, 10 characters at least', 'The photos show it.')
    await judge.press('button', 'Decide')
    await judge.page.getByText('The dispute is decided, and the money has moved.').waitFor()
    expect([judge.signatures, judge.faults]).toEqual([['personal_sign'], []])
    await judge.context.close()

    await desk()
    await press('link', 'My work')
    await press('link', title)
    await reach('the worker is paid')

    await fill('Rate the publisher, from 0 to 100', '80')
    await press('button', 'Rate')
    await reach('Thank you for the rating.')

    await desk()
    await press('link', 'Money')
    await reach('release')
    await press('button', 'Withdraw')
    await reach('The money is on its way to your wallet.')

    await desk()
    await press('link', 'Me')
    await press('button', 'Make a key')
    await reach('It is shown this once.')
    const key = await page.locator('code[tabindex]').textContent()
    const asked = await fetch(`${hall.url}/api/v1/payments/balance`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await asked.json()).toMatchObject({ account_id: id })

    const other = await hall.person()
    await hall.fund(other.id, 20_000_000n)
    const given = (await other.get('publish_task', { ...hallTask, title: 'A task to give up' })).task_id ?? ''
    await fetch(`${hall.url}/api/v1/tasks/${given}/apply`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    })
    await other.get('assign_worker', { task_id: given, executor_id: id })
    await desk()
    await press('link', 'My work')
    await press('link', 'A task to give up')
    await page.getByText('Give the task up').click()
    await press('button', 'Give it up')
    await reach('You have given up the task.')

    await desk()
    await press('link', 'Me')
    await press('button', 'Sign out')
    await desk('/work/mine')
    await reach('Sign in to see your tasks')
    expect(signatures).toEqual(['personal_sign'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('a publisher goes the whole way by eight steps, each within three taps, with one signature', async () => {
    const { page, context, faults, signatures, id, desk, press, fill, reach } = await openPage()
    await hall.fund(id, 50_000_000n)
    await desk('/publish')
    await press('link', 'Sign in with a wallet')
    await press('button', 'Sign in with a wallet')
    await page.waitForURL(/\/tasks\/publish$/)

    await desk('/publish')
    await press('link', 'Is it open?')
    await fill('Title', 'Is the museum open today?')
    await fill('The place in words', 'Museum Square 1')
    await fill('Latitude', '39.7817')
    await fill('Longitude', '-89.6501')
    await fill('Pays, USD', '8')
    await page.getByText('8.40 USD').waitFor()
    await page.getByLabel('The money goes into escrow').selectOption('now')
    await press('button', 'Publish')
    await reach('The task is published.')
    await reach('the bounty is in escrow')
    const task_id = /task_\w+/.exec(page.url())?.[0] ?? ''

    const worker = await hall.person()
    await worker.get('register_worker', { kind: 'human', name: 'Grace', skills: ['walking'] })
    await worker.get('ask_question', { task_id, question: 'Which of the two doors?' })
    const other = await hall.person()
    await other.get('register_worker', { kind: 'human', name: 'Linus' })
    for (const { get } of [worker, other]) await get('apply_to_task', { task_id, message: 'I am there.' })

    await desk('/publish')
    await press('link', 'Is the museum open today?')
    await fill('Your answer', 'The one in the square.')
    await press('button', 'Answer')
    await reach('Your answer is there for all to read.')
    await page.getByText('Give it more time').click()
    await fill('Hours more', '12')
    await press('button', 'Extend')
    await reach('The task is changed.')
    const { deadline } = (await worker.ask('get_task', { task_id })).body
    expect(Date.parse(String(deadline)) - Date.now()).toBeGreaterThan(35 * 3_600_000)

    await desk('/publish')
    await press('link', 'Is the museum open today?')
    await page.getByRole('row', { name: /Grace.*walking/ }).waitFor()
    await page.getByRole('row', { name: /Linus/ }).waitFor()
    await page.getByRole('row', { name: /Grace/ }).getByRole('button', { name: 'Assign' }).click()
    await reach('The task is assigned.')

    const evidence = async (seed: number) => {
      const { file_id } = await upload(worker, task_id, toJpeg(320, 240, scene(seed)))
      return [
        { type: 'photo_geo', file_id, geo },
        { type: 'text_response', value: 'It is open.' },
      ]
    }
    await worker.get('start_work', { task_id })
    await worker.get('submit_work', { task_id, evidence: await evidence(91) })
    await desk('/publish')
    await press('link', 'Is the museum open today?')
    await page.locator('img').waitFor()
    await page.getByText('Ask for more').click()
    await fill('What is missing', 'The opening hours cannot be read.')
    await press('button', 'Send it back')
    await reach('The work is sent back with your question.')

    await worker.get('submit_work', { task_id, evidence: await evidence(92) })
    await desk('/publish')
    await press('link', 'Is the museum open today?')
    await page.getByText('Pay a part now').click()
    await fill('Part of the bounty, USD', '3')
    await press('button', 'Pay the part')
    await reach('The part is paid.')
    await page.getByText(/5.00 USD are unpaid/).waitFor({ state: 'attached' })
    await desk('/publish')
    await press('link', 'Is the museum open today?')
    await press('button', 'Approve and pay')
    await reach('The work is approved and paid.')
    await fill('Rate the worker, from 0 to 100', '95')
    await press('button', 'Rate')
    await reach('Thank you for the rating.')
    await page.getByRole('row', { name: /the worker 95 of 100/ }).waitFor()
    await desk(new URL(page.url()).pathname.replace('/tasks', ''))
    await fill('A bonus, USD', '1')
    await press('button', 'Pay a bonus')
    await reach('The bonus is paid.')
    expect((await worker.ask('get_balance')).body).toMatchObject({ available_usd: '9.00' })

    await desk('/publish')
    await press('link', 'A question with sources')
    await fill('Title', 'Find out who built it')
    await press('button', 'Publish')
    await reach('The task is published.')
    await page.getByText('Cancel it').click()
    await press('button', 'Cancel the task')
    await reach('The task is cancelled, and what was in escrow is back.')

    await desk('/publish')
    await press('link', 'Who works here')
    await press('link', 'Grace')
    await reach('What became of the work')

    await desk('/publish')
    await press('link', 'Analytics')
    await reach('Median time of each step')
    expect(await page.locator('svg[role=img]').count()).toBeGreaterThanOrEqual(4)
    const [{ name = '', value = '' } = {}] = (await context.cookies()).filter(
      ({ name }) => name === 'octagent_session',
    )
    const csv = await read('/publish/analytics.csv', { headers: { cookie: `${name}=${value}` } })
    expect(csv.text.split('\r\n')).toEqual(
      expect.arrayContaining([
        'chart,name,value,unit',
        'Tasks by state,completed,1,tasks',
        'Money,paid to workers,8,USD',
        `Completed by each worker,${worker.id},1,tasks`,
      ]),
    )

    expect(signatures).toEqual(['personal_sign'])
    expect(faults).toEqual([])
    await context.close()
  })

  test('without scripts everything goes, up to the signature and after it', async () => {
    const { worker, task_id } = await hall.taskUnderWay({ evidence_required: ['photo', 'text_response'] })
    const { page, context } = await openPage({ javaScriptEnabled: false })
    await page.goto(`${origin()}/tasks/work`)
    await page.getByText('Place, pay and time').click()
    await page.getByLabel('Near latitude').fill('39.78')
    await page.getByLabel('and longitude').fill('-89.65')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: hallTask.title }).first().click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(hallTask.title)
    const [name = '', value = ''] = (await signIn(worker.wallet)).split('=')
    await context.addCookies([{ name, value, url: origin() }])
    await page.goto(`${origin()}/tasks/work/tasks/${task_id}`)
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(9000, 7)])
    await page.getByLabel('Photos').setInputFiles({ name: 'door.jpg', mimeType: 'image/jpeg', buffer: zip })
    await page.getByLabel('Text').fill('It is open until six.')
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('these bytes are no image/jpeg').waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('It is open until six.')
    await page
      .getByLabel('Photos')
      .setInputFiles({ name: 'door.jpg', mimeType: 'image/jpeg', buffer: toJpeg(320, 240, scene(81)) })
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('Your work is handed in.').waitFor()
    await context.close()
  })

  test('a connection that breaks off is tried again, and what was refused is said in words', async () => {
    const { worker, task_id } = await hall.taskUnderWay({ evidence_required: ['photo'] })
    const { page, context, signatures } = await openPage({}, worker.wallet)
    const [name = '', value = ''] = (await signIn(worker.wallet)).split('=')
    await context.addCookies([{ name, value, url: origin() }])
    await page.goto(`${origin()}/tasks/work/tasks/${task_id}`)
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(9000, 7)])
    await page.getByLabel('Photos').setInputFiles({ name: 'door.jpg', mimeType: 'image/jpeg', buffer: zip })
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('these bytes are no image/jpeg').waitFor()
    let broken = 0
    await context.route('**/evidence/uploads/**', route =>
      broken++ === 0 ? route.abort() : route.continue(),
    )
    await page
      .getByLabel('Photos')
      .setInputFiles({ name: 'door.jpg', mimeType: 'image/jpeg', buffer: toJpeg(320, 240, scene(82)) })
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('Your work is handed in.').waitFor()
    expect([broken, signatures]).toEqual([2, []])
    await context.close()
  })
})
