import type { ModelRequest } from '../../model-server.ts'

type Prompt = 'reading' | 'outside' | 'inside' | 'decomposition' | 'counter' | 'complement' | 'supervisor'

const beginnings: Record<Prompt, string> = {
  reading: 'You prepare a question',
  outside: 'You see a question from the outside',
  inside: 'You see a question from the inside',
  decomposition: 'You take a question apart',
  counter: 'You look for what others overlook',
  complement: 'You are asked whether something will NOT happen',
  supervisor: 'You review several views',
}

/** System prompt and user text, in either API. */
export const textsOf = ({ body }: ModelRequest): { system: string; user: string } =>
  body.system === undefined
    ? { system: body.messages[0].content, user: body.messages.at(-1).content }
    : { system: String(body.system), user: body.messages.at(-1).content }

export const promptOf = (request: ModelRequest): Prompt => {
  const { system } = textsOf(request)
  const found = Object.entries(beginnings).find(([, words]) => system.startsWith(words))
  if (!found) throw new Error(`an unknown prompt: ${system}`)
  return found[0] as Prompt
}

const plain = (probability: number, evidence_ids: string[] = []) => ({
  reasons: ['The deck is closed.'],
  uncertainties: ['The weather'],
  evidence_ids,
  probability,
})

const chances = {
  outside: 0.3,
  inside: 0.5,
  decomposition: 0.48,
  counter: 0.4,
  complement: 0.6,
  supervisor: 0.45,
}

/** What a sensible model answers to each prompt; `chance` overrides its numbers. */
export const answerTo = (prompt: Prompt, chance: Partial<typeof chances> = {}): { value: unknown } => {
  const at = { ...chances, ...chance }
  if (prompt === 'reading')
    return {
      value: {
        is_clear: true,
        fault: '',
        question: 'Is the bridge at Exampleton open to traffic on 31 December 2026?',
        resolution_source: 'The mayor of Exampleton',
        unit: '',
        queries: ['bridge Exampleton opening', 'Exampleton mayor bridge'],
      },
    }
  if (prompt === 'supervisor')
    return { value: { reason: 'One fact is counted twice.', probability: at.supervisor } }
  if (prompt === 'outside')
    return {
      value: {
        ...plain(at.outside),
        reference_class: 'Bridges that were late',
        probability_by_half_time: 0.1,
        probability_beyond: at.outside - 0.1,
      },
    }
  if (prompt === 'decomposition')
    return {
      value: {
        ...plain(at.decomposition, ['S1']),
        steps: [
          { text: 'The ramps are done.', probability: 0.8 },
          { text: 'It is approved.', probability: at.decomposition / 0.8 },
        ],
      },
    }
  if (prompt === 'counter')
    return {
      value: {
        ...plain(at.counter, ['S1']),
        outcomes: [
          { text: 'It opens.', is_yes: true, probability: at.counter },
          { text: 'It does not.', is_yes: false, probability: 1 - at.counter },
        ],
      },
    }
  return { value: plain(at[prompt], ['S1', 'S99']) }
}
