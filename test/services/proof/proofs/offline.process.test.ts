import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyProof } from '../../../../cli/verify-proof.ts'
import type { ProofBundle } from '../../../../mcp/services/proof/proofs/verify/proof.ts'
import { verifyPage } from '../../../../mcp/services/proof/proofs/verify-page.ts'
import { inBrowser, look, openBrowser } from '../../../express/browser.ts'
import { startProof } from '../run.ts'

let folder: string
let bundle: ProofBundle & { reveal: object | null }
let keys: object
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octagent-offline-'))
  const proof = await startProof()
  const action = {
    kind: 'deploy',
    status: 'succeeded',
    started_at: '2026-01-05T10:00:00Z',
    finished_at: '2026-01-05T10:04:00Z',
    input: { price: 1e21, name: 'é😀\u2028' },
  }
  const { proof_id, opening } = await proof.buy('prove', { action_id: 'deploy-1', action, disclose: false })
  await proof.ask('reveal_proof', { proof_id, ...(opening as object) })
  for (let n = 0; n < 3; n++) await proof.buy('witness', { source: 'a', body: `claim ${n}` })
  bundle = (await proof.ask('get_proof', { proof_id })) as typeof bundle
  keys = await proof.ask('list_verifier_keys', {})
  // From here on, nobody is there to be asked.
  await proof.stop()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const save = async (name: string, value: unknown) => {
  const path = join(folder, name)
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

/** What the command prints, and the code that it ends with. */
const run = async (...args: string[]) => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    const code = await verifyProof(args)
    return { code, text: log.mock.calls.join('\n') }
  } finally {
    log.mockRestore()
  }
}

/** Files that are wrong, and what is said of each. */
const forgeries = (): [name: string, file: unknown, words: RegExp][] => {
  const { event, checkpoint, inclusion } = bundle
  const [, size = ''] = checkpoint.split('\n')
  return [
    [
      'content',
      { ...bundle, event: { ...event, content: event.content.replace('a', 'b') } },
      /changed after it was signed/,
    ],
    [
      'signature',
      { ...bundle, event: { ...event, sig: event.sig.replace(/^./, c => (c === '0' ? '1' : '0')) } },
      /forged, cut or signed anew/,
    ],
    ['leaf', { ...bundle, leaf: bundle.leaf.replace('execution', 'verdict') }, /does not stand in the tree/],
    ['index', { ...bundle, index: bundle.index + 1 }, /does not stand in the tree/],
    ['way', { ...bundle, inclusion: inclusion.slice(1) }, /does not stand in the tree/],
    [
      'size',
      { ...bundle, checkpoint: checkpoint.replace(`\n${size}\n`, `\n${Number(size) + 1}\n`) },
      /not signed by the key|does not stand/,
    ],
    [
      'checkpoint',
      { ...bundle, checkpoint: checkpoint.replace(/ \S+\n$/, ' AAAAAAAA\n') },
      /not signed by the key/,
    ],
    ['reveal', { ...bundle, reveal: { ...bundle.reveal, content: {} } }, /not what the proof committed to/],
    ['cut', JSON.stringify(bundle).slice(0, -9), /Was it cut off\?/],
    ['list', [bundle], /is a JSON object/],
  ]
}

describe('octagent verify-proof', () => {
  test('accepts a file with the keys of its issuer, and says what it cannot know without them', async () => {
    const [file, keyFile] = [await save('proof.json', bundle), await save('keys.json', keys)]
    const sure = await run(file, '--keys', keyFile)
    expect(sure).toMatchObject({ code: 0, text: expect.stringMatching(/^VALID\n/) })
    expect(sure.text).not.toContain('Note')
    expect((await run(file)).text).toContain(`compare ${bundle.event.pubkey}`)
    expect((await run(await save('event.json', bundle.event), '--keys', keyFile)).text).toMatch(
      /ledger has it was not checked/,
    )
    const { checks } = JSON.parse((await run(file, '--keys', keyFile, '--json')).text)
    expect(checks).toMatchObject({ in_ledger: true, checkpoint_signed: true, issued_by_listed_key: true })
  })

  test('refuses each forgery in words of its own, with code 1', async () => {
    const keyFile = await save('keys.json', keys)
    for (const [name, value, words] of forgeries()) {
      const { code, text } = await run(await save(`${name}.json`, value), '--keys', keyFile)
      expect([name, code, text]).toEqual([name, 1, expect.stringMatching(words)])
    }
    const file = await save('proof.json', bundle)
    expect((await run(file, '--keys', file)).text).toMatch(/keys cannot be read/)
    expect((await run(file, '--artifact', '0'.repeat(64))).text).toMatch(/another artifact/)
    await expect(run()).rejects.toThrow(/Say which file/)
    await expect(run(join(folder, 'none.json'))).rejects.toThrow(/no file/)
  })

  test('agrees with a verifier in Python that knows none of our code', () => {
    const judge = (value: unknown) =>
      JSON.parse(
        execFileSync('python3', [join(import.meta.dirname, 'verify.py')], {
          input: JSON.stringify(value),
          encoding: 'utf8',
          timeout: 60_000,
        }),
      )
    expect(judge(bundle)).toEqual({ event: true, leaf: true, inclusion: true })
    const sig = bundle.event.sig.replace(/.$/, c => (c === '0' ? '1' : '0'))
    expect(judge({ ...bundle, event: { ...bundle.event, sig } }).event).toBe(false)
    expect(judge({ ...bundle, index: bundle.index + 1 }).inclusion).toBe(false)
  })
})

test('the page is as its sources make it', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/verify-page.mjs', '--check'], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  expect([status, stderr]).toEqual([0, ''])
})

inBrowser('the page, saved and opened without a network', () => {
  let browser: Browser
  let page: Page
  const faults: string[] = []
  beforeAll(async () => {
    browser = await openBrowser()
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, offline: true })
    page = await context.newPage()
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('request', request => !request.url().startsWith('file:') && faults.push(request.url()))
    await page.goto(`file://${await save('verify.html', verifyPage)}`)
  })
  afterAll(() => browser?.close())

  const verify = async (proof: string, keyText: string) => {
    await page.locator('#proof').fill(proof)
    await page.locator('#keys').fill(keyText)
    await page.locator('#verify').click()
    return `${await page.locator('#verdict').textContent()}: ${await page.locator('#lines').textContent()}`
  }

  test('says the same as the command', async () => {
    expect(await verify(JSON.stringify(bundle), JSON.stringify(keys))).toMatch(/^Valid: Signed 20/)
    expect(await page.locator('#payload').textContent()).toContain('commitment')
    for (const [, value, words] of forgeries())
      expect(
        await verify(typeof value === 'string' ? value : JSON.stringify(value), JSON.stringify(keys)),
      ).toMatch(new RegExp(`^Not valid: .*(${words.source})`))
    expect(faults).toEqual([])
  })

  test('takes a file', async () => {
    await page.locator('#proof-file').setInputFiles(await save('proof.json', bundle))
    await page.waitForFunction("document.querySelector('#proof').value.includes('checkpoint')")
    await page.locator('#verify').click()
    expect(await page.locator('#verdict').textContent()).toBe('Valid')
  })

  test('can be used by everybody', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, bypassCSP: true })
    const open = await context.newPage()
    await open.goto(`file://${join(folder, 'verify.html')}`)
    await look(open, 'verify-offline')
    await context.close()
  })
})
