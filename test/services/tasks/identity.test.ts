import { compactVerify, createLocalJWKSet } from 'jose'
import { encodeFunctionData, keccak256, parseEventLogs, stringToBytes } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testIdentityRegistry } from '../../../contracts/test-identity-registry.ts'
import { testReputationRegistry } from '../../../contracts/test-reputation-registry.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import {
  feedbackDocument,
  feedbackIn,
  sendFeedback,
  sendFeedbackJob,
} from '../../../mcp/services/tasks/feedback.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { type ChainTown, openTownChain, type Person, type TownChain } from './chain-town.ts'
import { refused } from './town.ts'

type Call = { to: string; data: string }

onAnvil('identities and feedback in the registries of ERC-8004', () => {
  let chain: TownChain
  let town: ChainTown
  beforeAll(async () => {
    chain = await openTownChain()
    town = await chain.openTown()
  })
  afterAll(async () => {
    await town?.stop()
    await chain?.close()
  })

  const transaction = (answer: Record<string, unknown>) => answer.transaction as Call

  /** Somebody whose wallet owns an agent that is linked to the account. */
  const agent = async () => {
    const person = await chain.person(0n)
    const call = transaction(await town.ask(person.id, 'register_identity', {}))
    const { logs } = await chain.send(person, call)
    const [event] = parseEventLogs({ abi: testIdentityRegistry.abi, eventName: 'Registered', logs })
    const agent_id = String(event?.args.agentId)
    await town.ask(person.id, 'register_identity', { agent_id })
    return { ...person, agent_id, uri: event?.args.agentURI }
  }

  const completed = async (publisher: Person, worker: { id: string }, score?: number) => {
    const { task_id, submission_id } = await town.taskIn('submitted', {
      publisher: publisher.id,
      by: worker.id,
    })
    const rating = score === undefined ? {} : { rating_score: score }
    await town.ask(publisher.id, 'approve_submission', { submission_id, ...rating })
    return task_id
  }

  const carry = () => {
    const { store, clock } = town.deps
    const { registries: agentRegistries } = town
    const signal = new AbortController().signal
    return sendFeedbackJob.run({ store, clock, agentRegistries, signal } as never)
  }

  test('an identity is registered by the own wallet, linked once the chain shows it, and can be checked', async () => {
    const worker = await agent()
    expect(worker.uri).toContain(`/api/v1/executors/${worker.id}/stats`)
    expect(await town.ask(undefined, 'check_identity', { agent_id: worker.agent_id })).toMatchObject({
      owner: worker.address.toLowerCase(),
      wallet: worker.address.toLowerCase(),
      executor_id: worker.id,
      chain_id: 8453,
    })
    const thief = await chain.person(0n)
    const link = town.ask(thief.id, 'register_identity', { agent_id: worker.agent_id })
    expect(await refused(link)).toMatchObject({ code: 'forbidden', reason: 'not_your_agent' })
    const none = { agent_id: '99999999' }
    expect(await refused(town.ask(undefined, 'check_identity', none))).toMatchObject({ code: 'not_found' })
    const nonsense = { agent_id: '-1' }
    expect(await refused(town.ask(undefined, 'check_identity', nonsense))).toMatchObject({
      code: 'invalid_input',
    })
  })

  test('a rating is said by the wallet of the publisher, and counts as that of one who paid', async () => {
    const [publisher, worker] = [await chain.person(0n), await agent()]
    const task_id = await completed(publisher, worker, 92)
    const feedback = await town.ask(publisher.id, 'publish_feedback', { task_id })
    expect(feedback).toMatchObject({ state: 'shown', score: 92, agent_id: worker.agent_id })
    await chain.send(publisher, transaction(feedback))
    const reputation = await town.ask(undefined, 'get_reputation', { executor_id: worker.id })
    expect(reputation).toMatchObject({
      agent_id: worker.agent_id,
      onchain: { count: 1, mean: '92', clients: 2 },
    })
    // An agent cannot speak for itself: the registry refuses it.
    await expect(chain.send(worker, transaction(feedback))).rejects.toThrow()
  })

  test('strangers may say what they like: their word does not count', async () => {
    const [publisher, worker, stranger] = [await chain.person(0n), await agent(), await chain.person(0n)]
    const task_id = await completed(publisher, worker, 80)
    const { reputation } = await town.registries.place()
    const praise = [
      BigInt(worker.agent_id),
      100n,
      0,
      'task',
      task_id,
      '',
      '',
      `0x${'00'.repeat(32)}`,
    ] as const
    const data = encodeFunctionData({
      abi: testReputationRegistry.abi,
      functionName: 'giveFeedback',
      args: praise,
    })
    await chain.send(stranger, { to: reputation, data })
    expect(await town.ask(undefined, 'get_reputation', { executor_id: worker.id })).toMatchObject({
      onchain: { count: 0, mean: null },
    })
  })

  test('the house says it once, however often it is asked and wherever it broke off', async () => {
    const [publisher, worker] = [await chain.person(0n), await agent()]
    const task_id = await completed(publisher, worker, 70)
    const publish = () => town.ask(publisher.id, 'publish_feedback', { task_id, sender: 'house' })
    expect(await publish()).toMatchObject({ state: 'queued', transaction: null })
    expect(await publish()).toMatchObject({ state: 'queued' })
    const row = await feedbackIn(town.store).get(`${task_id}.worker`)
    if (!row) throw new Error('no feedback')
    // The process is killed after the transaction, before it is noted: the next one finds it said.
    const { store, clock } = town.deps
    const forgetful = {
      ...town.registries,
      operator: async () => {
        const operator = await town.registries.operator()
        return {
          ...operator,
          carry: async (...call: Parameters<typeof operator.carry>) => {
            await operator.carry(...call)
            throw new Error('killed')
          },
        }
      },
    }
    await sendFeedback({ store, clock, agentRegistries: forgetful }, row)
    town.later(60_000)
    await carry()
    await carry()
    const after = await publish()
    expect(after).toMatchObject({ state: 'done', sent: expect.stringMatching(/^0x/) })
    expect(await town.ask(undefined, 'get_reputation', { executor_id: worker.id })).toMatchObject({
      onchain: { count: 1, mean: '70' },
    })
  })

  test('the evidence is verified offline, and shows each change', async () => {
    const [publisher, worker] = [await chain.person(0n), await agent()]
    const task_id = await completed(publisher, worker, 55)
    const feedback = await town.ask(publisher.id, 'publish_feedback', { task_id })
    const id = String(feedback.feedback_uri).split('/').at(-1) ?? ''
    const request = { params: { id } }
    const served = await feedbackDocument.run({ store: town.store as Store } as never, request as never)
    if (served.kind !== 'bytes') throw new Error('no bytes')
    const text = Buffer.from(served.bytes).toString('utf8')
    expect(keccak256(stringToBytes(text))).toBe(feedback.feedback_hash)
    const { signature, ...claims } = JSON.parse(text) as { signature: string; task_id: string; score: number }
    const sign = town.world.ports.sign as { jwks(): Promise<{ keys: object[] }> }
    const keys = createLocalJWKSet((await sign.jwks()) as never)
    const { payload } = await compactVerify(signature, keys)
    expect(JSON.stringify(JSON.parse(Buffer.from(payload).toString('utf8')))).toBe(JSON.stringify(claims))
    expect(claims).toMatchObject({ task_id, score: 55, outcome: 'completed', bounty_usd: '10.00' })
    const [head, , tail] = signature.split('.')
    const lie = Buffer.from(JSON.stringify({ ...claims, score: 100 })).toString('base64url')
    await expect(compactVerify(`${head}.${lie}.${tail}`, keys)).rejects.toThrow()
    // The same rating always has the same evidence.
    expect((await town.ask(publisher.id, 'publish_feedback', { task_id })).feedback_hash).toBe(
      feedback.feedback_hash,
    )
    const nothing = { params: { id: 'task_0.worker' } }
    expect(
      await refused(feedbackDocument.run({ store: town.store } as never, nothing as never) as Promise<never>),
    ).toMatchObject({ code: 'not_found' })
  })

  test('both sides may say one thing each', async () => {
    const [publisher, worker] = [await agent(), await agent()]
    const task_id = await completed(publisher, worker, 60)
    await town.ask(worker.id, 'rate_publisher', { task_id, score: 40 })
    expect(await refused(town.ask(worker.id, 'rate_publisher', { task_id, score: 90 }))).toMatchObject({
      reason: 'already_rated',
    })
    expect(await town.ask(worker.id, 'publish_feedback', { task_id })).toMatchObject({
      agent_id: publisher.agent_id,
      score: 40,
    })
    expect(await town.ask(publisher.id, 'publish_feedback', { task_id })).toMatchObject({
      agent_id: worker.agent_id,
      score: 60,
    })
    const { ratings } = await town.ask(worker.id, 'get_feedback', { task_id })
    expect(ratings).toMatchObject([
      { side: 'worker', score: 60, onchain: { agent_id: worker.agent_id, state: 'shown', sent: null } },
      { side: 'publisher', score: 40, onchain: { agent_id: publisher.agent_id, state: 'shown' } },
    ])
  })

  test('what is not rated, has no agent, or is none of the caller is refused', async () => {
    const [publisher, worker] = [await chain.person(0n), await agent()]
    const unrated = await completed(publisher, worker)
    const publish = (account: string, task_id: string) =>
      refused(town.ask(account, 'publish_feedback', { task_id }))
    expect(await publish(publisher.id, unrated)).toMatchObject({ reason: 'not_rated' })
    const plain = await chain.person(0n)
    const rated = await completed(publisher, plain, 50)
    expect(await publish(publisher.id, rated)).toMatchObject({ reason: 'no_agent' })
    expect(await publish((await chain.person(0n)).id, rated)).toMatchObject({ code: 'forbidden' })
  })
})
