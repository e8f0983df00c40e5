import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inBrowser, openBrowser } from '../../express/browser.ts'
import { scene, toJpeg } from '../../lib/image/pictures.ts'
import { geo, type Hall, hallTask, openHall } from './hall.ts'

const hostile = {
  title: '<script>document.title="taken"</script><img src=x onerror=alert(1)>',
  instructions: `"><svg onload=alert(1)> javascript:alert(1) ${'W'.repeat(300)} </p></main><style>body{display:none}</style>`,
  location_hint: '\'"><b onmouseover=alert(1)>Main Street</b>',
}

let hall: Hall
let open = ''
let strange = ''
beforeAll(async () => {
  hall = await openHall()
  const publisher = await hall.person()
  open = (await publisher.get('publish_task', hallTask)).task_id ?? ''
  strange = (await publisher.get('publish_task', { ...hallTask, ...hostile })).task_id ?? ''
})
afterAll(() => hall?.stop())

const read = async (path: string) => {
  const response = await fetch(hall.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('the pages without scripts', () => {
  test('list open tasks near a place, by words and by kind', async () => {
    const near = await read('/work?near_lat=39.78&near_lng=-89.65&radius_m=5000')
    expect(near.status).toBe(200)
    expect(near.text).toContain(
      `<a href="${new URL(hall.url).pathname}/work/tasks/${open}">Is the bakery open?</a>`,
    )
    expect(near.text).toMatch(
      /5\.00 USD<\/span> · physical presence · until [^<]* · Main Street 1, Springfield · \d+ m away/,
    )
    expect((await read('/work?near_lat=48&near_lng=11')).text).toContain(
      'There is no such task at the moment.',
    )
    expect((await read('/work?query=bakery')).text).toContain(open)
    expect((await read('/work?category=creative&query=')).text).not.toContain(open)
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
})

inBrowser('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

  const findViolations = async (page: Page) => {
    await page.evaluate(axe)
    return page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(node => node.html).join(" ")))',
    )
  }

  /** A page whose wallet signs for a new account, as an extension would. */
  const openPage = async (options: BrowserContextOptions = {}, refusing = false) => {
    const wallet = privateKeyToAccount(generatePrivateKey())
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
    await context.exposeFunction(
      'answerAsWallet',
      async (method: string, params: [`0x${string}`, string]) => {
        if (method === 'eth_requestAccounts') return [wallet.address]
        if (method !== 'personal_sign' || params[1] !== wallet.address) throw new Error('not asked for that')
        return wallet.signMessage({ message: { raw: params[0] } })
      },
    )
    await context.addInitScript(`window.ethereum = { request: ({ method, params }) => ${refusing} && method === 'personal_sign'
      ? Promise.reject(Object.assign(new Error('no'), { code: 4001 }))
      : window.answerAsWallet(method, params) }`)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', error => faults.push(error.message))
    return { page, context, faults, id: `eip155:8453:${wallet.address.toLowerCase()}` }
  }

  test.each([390, 1280])('of %i pixels everything fits, and everybody can use it', async width => {
    const { page, context } = await openPage({ viewport: { width, height: 844 }, bypassCSP: true })
    for (const path of [
      '/work',
      '/work?near_lat=39',
      '/work/mine',
      `/work/tasks/${open}`,
      `/work/tasks/${strange}`,
    ]) {
      await page.goto(hall.url + path)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
      expect(await findViolations(page), path).toEqual([])
    }
    await page.goto(`${hall.url}/work/tasks/${open}`)
    await page.getByRole('button', { name: 'Connect wallet' }).click()
    await page.getByLabel('Why you').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(await page.title()).toBe(hallTask.title)
    await context.close()
  })

  test('without scripts lists and shows tasks', async () => {
    const { page, context } = await openPage({ javaScriptEnabled: false })
    await page.goto(`${hall.url}/work`)
    await page.getByLabel('Near latitude').fill('39.78')
    await page.getByLabel('and longitude').fill('-89.65')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: hallTask.title }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(hallTask.title)
    expect(await page.locator('noscript').count()).toBe(1)
    await context.close()
  })

  test('a person finds a task, applies, works, hands in a photo, and sees what was paid', async () => {
    const publisher = await hall.person()
    await hall.fund(publisher.id, 10_000_000n)
    const title = 'Is the florist open today?'
    const required = ['photo_geo', 'text_response', 'measurement']
    const { task_id = '' } = await publisher.get('publish_task', {
      ...hallTask,
      title,
      evidence_required: required,
    })
    const { page, context, faults, id } = await openPage({
      permissions: ['geolocation'],
      geolocation: { latitude: geo.lat, longitude: geo.lng, accuracy: 12 },
    })
    await page.goto(`${hall.url}/work`)
    await page.getByRole('button', { name: 'Near me' }).click()
    await page.getByRole('link', { name: title }).click()

    await page.getByRole('button', { name: 'Connect wallet' }).click()
    await page.getByLabel('Why you').fill('I live next door.')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByLabel('Your name, as publishers see it').fill('Ada')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByLabel('Why you').fill('I live next door.')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('You have applied.').waitFor()
    const { applications } = (await publisher.ask('list_applications', { task_id })).body
    expect(applications).toMatchObject([{ executor_id: id, message: 'I live next door.' }])

    await publisher.get('assign_worker', { task_id, executor_id: id })
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByLabel('File').setInputFiles({
      name: 'door.jpg',
      mimeType: 'image/jpeg',
      buffer: toJpeg(320, 240, scene(77)),
    })
    await page.getByRole('button', { name: 'Use my location' }).click()
    await page.getByLabel('Text').fill('It is open until six.')
    await page.getByLabel('Value').fill('3,5')
    await page.getByLabel('Unit').fill('m')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('Your work is handed in.').waitFor()
    expect(await page.locator('.work li').allTextContents()).toEqual([
      expect.stringMatching(/^hash: pass/),
      expect.stringMatching(/^place: pass/),
      expect.stringMatching(/^time: (pass|fail)/),
    ])

    const { submissions } = (await publisher.ask('list_submissions', { task_id })).body as {
      submissions: { submission_id: string; evidence: { type: string; geo: object; value: unknown }[] }[]
    }
    const [submission] = submissions
    expect(submission?.evidence.map(({ type }) => type)).toEqual(required)
    expect(submission?.evidence[0]?.geo).toEqual({ ...geo, accuracy_m: 12 })
    expect(submission?.evidence[2]?.value).toEqual({ value: 3.5, unit: 'm' })
    await publisher.get('approve_submission', { submission_id: submission?.submission_id })
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('It is done, and you were paid 5.00 USD.').waitFor()

    await page.goto(`${hall.url}/work/mine`)
    await page.getByRole('button', { name: 'Connect wallet' }).click()
    await page.getByRole('button', { name: 'Show my tasks' }).click()
    await page.getByText('completed · paid 5.00 of 5.00 USD').waitFor()
    // The refusal that asked to register is the only thing the browser complained of.
    expect(faults.filter(fault => !/428|precondition/i.test(fault))).toEqual([])
    await context.close()
  })

  test('a zip that calls itself a photo, and a signature that is refused, are said in words', async () => {
    const { worker, task_id } = await hall.taskUnderWay()
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await context.exposeFunction('answerAsWallet', (method: string, params: [`0x${string}`]) =>
      method === 'eth_requestAccounts'
        ? [worker.wallet.address]
        : worker.wallet.signMessage({ message: { raw: params[0] } }),
    )
    await context.addInitScript(
      'window.ethereum = { request: ({ method, params }) => window.answerAsWallet(method, params) }',
    )
    const page = await context.newPage()
    await page.goto(`${hall.url}/work/tasks/${task_id}`)
    await page.getByRole('button', { name: 'Connect wallet' }).click()
    await page.getByRole('button', { name: 'Show the task' }).click()
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(9000, 7)])
    await page.getByLabel('File').setInputFiles({ name: 'door.jpg', mimeType: 'image/jpeg', buffer: zip })
    await page.getByLabel('Latitude').fill('39.7817')
    await page.getByLabel('Longitude').fill('-89.6501')
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('these bytes are no image/jpeg').waitFor()
    await context.close()

    const refusing = await openPage({}, true)
    await refusing.page.goto(`${hall.url}/work/mine`)
    await refusing.page.getByRole('button', { name: 'Connect wallet' }).click()
    await refusing.page.getByRole('button', { name: 'Show my tasks' }).click()
    await refusing.page.getByText('You refused it in your wallet.').waitFor()
    await refusing.context.close()
  })

  test('one without a wallet is told what is needed', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(`${hall.url}/work/tasks/${open}`)
    await page.getByText('open this page in a browser with an Ethereum wallet').waitFor()
    await context.close()
  })
})
