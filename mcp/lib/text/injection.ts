import { hasHiddenRun, stripAllInvisible } from './invisible.ts'

/** Phrases by which a description turns from what a thing does to what its reader shall do, with what each is called. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|other|any|your)\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|context)\b/i,
    'it tells its reader to ignore instructions',
  ],
  [
    /<\s*\/?\s*(?:important|system|secret|instructions?|assistant|hidden)\s*>/i,
    'it holds a tag that poses as instructions',
  ],
  [
    /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|alert(?:ing)?)\b.{0,40}\b(?:users?|humans?|operators?|owners?)\b/i,
    'it asks to hide something from the user',
  ],
  [
    /(?:~|\/home\/\w+|\$HOME)\/\.(?:ssh|aws|gnupg|config|cursor|npmrc|netrc)|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)|\.cursor\/mcp\.json/i,
    'it names files in which secrets are kept',
  ],
  [
    /\b(?:send|pass|include|forward|post|upload|append|provide|reveal|paste|copy)\b.{0,60}\b(?:private keys?|seed phrases?|mnemonics?|system prompts?|passwords?|env(?:ironment)? variables?|conversation history|chat history|contents? of the file|credentials of)\b/i,
    'it asks for secrets',
  ],
  [
    /\b(?:you|the (?:assistant|agent|model|llm|ai))\b.{0,20}\b(?:must|should|have to|shall)\b.{0,30}\b(?:first|always|before|instead)\b.{0,40}\b(?:call|use|read|invoke|run|send|pay)\b/i,
    'it orders its reader to do something else first',
  ],
  [
    /\bbefore (?:using|calling|invoking) (?:this|any|the other|another)\b.{0,30}\btools?\b.{0,40}\b(?:read|send|call|use|run|invoke)\b/i,
    'it orders its reader to do something else first',
  ],
  [
    /\b(?:instead of|rather than)\b.{0,30}\b(?:other|another|any other)\b.{0,20}\b(?:tool|server|service|agent)s?\b.{0,40}\b(?:always|must)\b/i,
    'it orders its reader to prefer it',
  ],
  [/\b(?:new|updated) (?:system )?(?:instructions?|prompt)\s*:/i, 'it poses as new instructions'],
]

/**
 * Why a description is no description but an attempt to steer the model that reads it: hidden text, or an order to its
 * reader. Null for an honest one; a text of any other language than English is searched for what is hidden alone.
 */
export const findInjection = (text: string): string | null => {
  if (hasHiddenRun(text)) return 'it holds text that nobody sees'
  const line = stripAllInvisible(text.normalize('NFKC')).replace(/\s+/g, ' ')
  return phrases.find(([pattern]) => pattern.test(line))?.[1] ?? null
}
