import { findInjection } from '../../../lib/text/injection.ts'

const reader =
  /\b(?:you|your|yours|yourself)\b|\b(?:language|ai|forecasting) (?:models?|agents?|assistants?|systems?)\b|\b(?:llms?|forecasters?|assistants?|chatbots?)\b/i
const order =
  /^(?:please\s+|now\s+|then\s+|always\s+|important:?\s+|note:?\s+)*(?:answer|output|respond|reply|report|return|set|give|assign|state|say|write|print|ignore|disregard|forget|override|treat|use|increase|raise|lower|reduce|put|conclude|assume|act|consider|stop|do not \w+|don't \w+|never \w+)\s+(?:(?:the|a|an|your|any|all|every|this|that|these|it|only|with|as|at|to|no)\b|\p{P}|\d)/iu
const verdict =
  /\b(?:probabilit(?:y|ies)|estimates?|forecasts?|predictions?|answers?|odds|confidence|instructions?|prompts?|guidelines?|question|json|output|response)\b|\b0?\.\d+\b|\b\d{1,3}\s?(?:%|percent)/i
const turn =
  /^(?:system|assistant|user|developer|human)\s*:|<\/?(?:data|system|assistant|instructions?)\b|\[(?:\/?INST|system)\]/i

const sentences = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n+/).map(part => part.trim())

/**
 * What in a page speaks to whoever answers a question about the answer, instead of about the world; undefined for a page that only
 * reports. Such a page is no evidence: it is not read on.
 */
export const findSteering = (text: string): string | undefined => {
  const injected = findInjection(text)
  if (injected !== null) return injected
  const steering = sentences(text.normalize('NFKC')).find(
    sentence =>
      turn.test(sentence) || (verdict.test(sentence) && (reader.test(sentence) || order.test(sentence))),
  )
  return steering === undefined ? undefined : 'it speaks to its reader about the answer'
}
