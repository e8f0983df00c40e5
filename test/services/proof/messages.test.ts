import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  deliverMessage,
  directsIn,
  discard,
  mailboxSize,
  markRead,
  newMessageId,
  readMailbox,
  requireInboxRoom,
} from '../../../mcp/services/proof/message.ts'
import { onBothEngines } from '../../payment/ledger-engines.ts'
import { runs } from '../../stress.ts'
import { type AccountsApp, openAccountsApp } from './accounts-app.ts'

onBothEngines(({ place }) => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  test('mailboxes keep to a model through random messages, readings and deletions', async () => {
    const here = await place()
    const store = await here.open()
    closing.push(() => store.close(), here.clean)
    const people = ['a', 'b', 'c']
    const model: { id: string; from: string; to: string; in: boolean; out: boolean; read: boolean }[] = []
    let seed = 11
    const random = (below: number) => {
      seed = (1_664_525 * seed + 1_013_904_223) % 2 ** 32
      return Math.floor((seed / 2 ** 32) * below)
    }
    for (let step = 0; step < runs(600, 100); step++) {
      const person = people[random(3)] ?? 'a'
      const known = model[random(model.length || 1)]
      const action = random(3)
      if (action === 0 || !known) {
        const to = people[random(3)] ?? 'b'
        const id = newMessageId()
        const facts = { id, from: person, to, name: null, content: 'x', read: false, earned_sats: 0 }
        const created_at = new Date(step * 1000).toISOString()
        await store.transaction(tx => deliverMessage(tx, { ...facts, outbox: person, inbox: to, created_at }))
        model.push({ id, from: person, to, in: true, out: true, read: false })
      } else if (action === 1) {
        const outcome = await store
          .transaction(tx => markRead(tx, person, [known.id, known.id]))
          .catch(() => 'refused')
        const isMine = known.to === person && known.in
        expect(outcome).toBe(isMine ? (known.read ? 0 : 1) : 'refused')
        if (isMine) known.read = true
      } else {
        const isMine = (known.to === person && known.in) || (known.from === person && known.out)
        const outcome = await store
          .transaction(tx => discard(tx, person, known.id))
          .then(() => 'done')
          .catch(() => 'refused')
        expect(outcome).toBe(isMine ? 'done' : 'refused')
        if (known.to === person) known.in = false
        if (known.from === person) known.out = false
      }
      for (const each of people) {
        const held = model.filter(({ to, in: isIn }) => isIn && to === each)
        const unread = held.filter(({ read }) => !read).length
        expect(await readMailbox(store, each)).toMatchObject({ messages: held.length, unread })
      }
    }
    const kept = model.filter(({ in: isIn, out }) => isIn || out)
    for (const { id } of model)
      expect((await directsIn(store).get(id)) !== undefined).toBe(kept.some(each => each.id === id))
  })
})

describe('messages', () => {
  let shop: AccountsApp
  beforeAll(async () => {
    shop = await openAccountsApp()
  })
  afterAll(() => shop.stop())

  const balance = async (headers: Record<string, string>) =>
    (await shop.get('/balance', headers)).body.balance_sats

  test('a post costs 200 sats and heads the feed, its category and its thread', async () => {
    const { headers, id } = await shop.funded(1000)
    const first = await shop.post(
      '/messages/post',
      { content: '<b>Hello</b> board', category: ' Work ', agent_id: 'ada' },
      headers,
    )
    expect(first.body).toMatchObject({
      author: { kind: 'account', id, name: 'ada' },
      category: 'work',
      proof_id: null,
    })
    expect(await balance(headers)).toBe(800)
    const { message_id } = first.body
    const answer = await shop.post('/messages/post', { content: 'Me too', reply_to: message_id }, headers)
    const nested = await shop.post(
      '/messages/post',
      { content: 'And me', reply_to: answer.body.message_id },
      headers,
    )
    expect(nested.body).toMatchObject({ thread_id: message_id, reply_to: answer.body.message_id })
    const feed = (await shop.get('/messages/feed?limit=2')).body
    expect(feed).toMatchObject({ untrusted: true, next: expect.any(String) })
    expect((feed.posts as { content: string }[])[0]?.content).toBe('And me')
    expect((await shop.get('/messages/feed?category=WORK')).body).toMatchObject({
      posts: [{ message_id, content: '<b>Hello</b> board' }],
    })
    const thread = (await shop.get(`/messages/thread/${String(nested.body.message_id)}`)).body
    expect((thread.posts as { content: string }[]).map(({ content }) => content)).toEqual([
      '<b>Hello</b> board',
      'Me too',
      'And me',
    ])
  })

  test('a signed post has a proof that verifies', async () => {
    const { headers } = await shop.funded(500)
    const { body } = await shop.post('/messages/post', { content: 'On record', sign: true }, headers)
    expect(body.proof_id).toMatch(/^[0-9a-f]{64}$/)
    const check = await shop.post('/verify-proof', { proof_id: body.proof_id })
    expect(check.body).toMatchObject({ valid: true })
    expect(JSON.stringify(check.body)).not.toContain('On record')
  })

  test('who pays by Lightning alone posts as nobody', async () => {
    const { body } = await shop.payByLightning('/messages/post', { content: 'From nowhere' })
    expect(body).toMatchObject({ author: { kind: 'anonymous', id: null, name: null } })
  })

  test('an answer to what is not there costs nothing', async () => {
    const { headers } = await shop.funded(500)
    const { status } = await shop.post('/messages/post', { content: 'x', reply_to: '0'.repeat(24) }, headers)
    expect([status, await balance(headers)]).toEqual([404, 500])
    expect((await shop.get(`/messages/thread/${'0'.repeat(24)}`)).status).toBe(404)
  })

  test('a direct message brings 285 of its 300 sats to the recipient', async () => {
    const ada = await shop.funded(1000)
    const bob = await shop.funded(0)
    const direct = { to_agent: bob.id, content: 'Hello Bob', from_agent: 'ada' }
    const { status, body } = await shop.post('/messages/dm', direct, ada.headers)
    expect([status, body.earned_sats, body.from]).toEqual([200, 285, ada.id])
    expect([await balance(ada.headers), await balance(bob.headers)]).toEqual([700, 285])
    expect((await shop.get('/balance/statement', bob.headers)).body).toMatchObject({
      lines: [{ kind: 'message', sats: '285', receipt: null }],
    })
    const inbox = await shop.get('/messages/inbox?unread_only=true', bob.headers)
    expect(inbox.body).toMatchObject({
      unread: 1,
      total: 1,
      untrusted: true,
      messages: [{ content: 'Hello Bob', from: ada.id, from_name: 'ada', read: false }],
    })
    const read = { message_ids: [body.message_id] }
    expect((await shop.post('/messages/read', read, bob.headers)).body).toEqual({ marked: 1, unread: 0 })
    expect((await shop.post('/messages/read', read, bob.headers)).body).toEqual({ marked: 0, unread: 0 })
    expect((await shop.get('/messages/inbox?unread_only=true', bob.headers)).body).toMatchObject({
      messages: [],
      total: 1,
    })
    expect((await shop.get('/messages/sent', ada.headers)).body).toMatchObject({
      messages: [{ content: 'Hello Bob' }],
    })
    await shop.post('/messages/delete', { message_id: body.message_id }, bob.headers)
    expect((await shop.get('/messages/inbox', bob.headers)).body).toMatchObject({ messages: [], total: 0 })
    expect((await shop.get('/messages/sent', ada.headers)).body).toMatchObject({
      messages: [{ content: 'Hello Bob' }],
    })
    expect(await shop.audit()).toMatchObject({ faults: [] })
  })

  test('one that is paid by Lightning brings the same, and a free one nothing', async () => {
    const ada = await shop.funded(0)
    const bob = await shop.funded(0)
    const direct = { to_agent: bob.id, content: 'Paid as I go' }
    const { body } = await shop.payByLightning('/messages/dm', direct, ada.headers)
    expect([body.earned_sats, await balance(bob.headers)]).toEqual([285, 285])
    const fresh = await shop.register()
    const free = await shop.post('/messages/dm', direct, fresh.headers)
    expect([free.status, free.body.earned_sats, await balance(bob.headers)]).toEqual([200, 0, 285])
    expect(await shop.audit()).toMatchObject({ faults: [] })
  })

  test('one key brings one message, however many repeat it at once', async () => {
    const ada = await shop.funded(1000)
    const bob = await shop.funded(0)
    const headers = { ...ada.headers, 'idempotency-key': 'dm-once-1' }
    await Promise.all(
      Array.from({ length: 5 }, () =>
        shop.post('/messages/dm', { to_agent: bob.id, content: 'Once' }, headers),
      ),
    )
    expect([await balance(ada.headers), await balance(bob.headers)]).toEqual([700, 285])
    expect((await shop.get('/messages/inbox', bob.headers)).body).toMatchObject({ total: 1 })
  })

  test('a mailbox is nothing to strangers, on any way in', async () => {
    const ada = await shop.funded(400)
    const bob = await shop.funded(0)
    const eve = await shop.funded(0)
    const { body } = await shop.post(
      '/messages/dm',
      { to_agent: bob.id, content: 'for Bob only' },
      ada.headers,
    )
    const message_id = body.message_id
    const delivered = await shop.post('/messages/read', { message_ids: [message_id] }, eve.headers)
    const invented = await shop.post('/messages/read', { message_ids: ['0'.repeat(24)] }, eve.headers)
    expect([delivered.status, invented.status]).toEqual([404, 404])
    expect(String(delivered.body.detail).replace(String(message_id), '0'.repeat(24))).toBe(
      invented.body.detail,
    )
    expect((await shop.post('/messages/delete', { message_id }, eve.headers)).status).toBe(404)
    expect((await shop.get(`/messages/thread/${String(message_id)}`)).status).toBe(404)
    expect((await shop.get('/messages/inbox', eve.headers)).body).toMatchObject({ messages: [], total: 0 })
    for (const answer of [
      await shop.callMcp('message_mark_read', { message_ids: [message_id] }, eve.headers),
      await shop.sendA2a('message_delete', { message_id }, eve.headers),
    ]) {
      expect(JSON.stringify(answer)).toContain('not_found')
      expect(JSON.stringify(answer)).not.toContain('for Bob only')
    }
    expect((await shop.get('/messages/inbox')).status).toBe(401)
    expect((await shop.get('/messages/inbox', bob.headers)).body).toMatchObject({ total: 1, unread: 1 })
  })

  test('refuses nobody, oneself and a full inbox before it takes anything', async () => {
    const ada = await shop.funded(600)
    const bob = await shop.funded(0)
    const send = (to_agent: string) => shop.post('/messages/dm', { to_agent, content: 'x' }, ada.headers)
    expect((await send('0'.repeat(24))).status).toBe(404)
    expect((await send(ada.id)).status).toBe(422)
    const mailboxes = shop.store.collection<{ id: string; messages: number; unread: number }>(
      'proof.mailboxes',
    )
    await mailboxes.put({ id: bob.id, messages: mailboxSize, unread: 0 })
    expect((await send(bob.id)).body).toMatchObject({ status: 409, reason: 'mailbox_full' })
    expect(await balance(ada.headers)).toBe(600)
    expect(() => requireInboxRoom({ id: 'x', messages: mailboxSize - 1, unread: 0 })).not.toThrow()
  })

  test.each([
    ['/messages/post', { content: '' }, 'content'],
    ['/messages/post', { content: '  ' }, 'content'],
    ['/messages/post', { content: 'x'.repeat(2001) }, 'content'],
    ['/messages/post', { content: 'a\u0000b' }, 'content'],
    ['/messages/post', { content: '\ud800' }, 'content'],
    ['/messages/post', { content: 'x', category: 'x'.repeat(51) }, 'category'],
    ['/messages/post', { content: 'x', agent_id: 'a\nb' }, 'agent_id'],
    ['/messages/post', { content: 'x', reply_to: '../x' }, 'reply_to'],
    ['/messages/dm', { content: 'x', to_agent: '__proto__' }, 'to_agent'],
    ['/messages/dm', { content: 'x' }, 'to_agent'],
    ['/messages/read', { message_ids: [] }, 'message_ids'],
  ])('%s refuses what is wrong by name, for nothing (%#)', async (path, input, field) => {
    const { headers } = await shop.funded(400)
    const { status, body } = await shop.post(path, input, headers)
    expect([status, (body.issues as { path: string }[])[0]?.path]).toEqual([422, field])
    expect(await balance(headers)).toBe(400)
  })

  test('tells its prices', async () => {
    expect((await shop.get('/messages/prices')).body).toEqual({
      post_sats: 200,
      dm_sats: 300,
      dm_recipient_sats: 285,
      dm_fee_sats: 15,
    })
  })
})
