import { Tokenizer } from 'htmlparser2'
import type { DeclaredEntities } from './document-type.ts'

const nothing = () => undefined

/** Calls of the tokenizer that a reader of text has no use for. */
export const silent = {
  onattribdata: nothing,
  onattribentity: nothing,
  onattribend: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
  isInForeignContext: () => false,
}

const entities = new Map<string, string>([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Decodes a name of HTML that feeds use without declaring it; the entity as written when HTML knows none. */
const decodeNamed = (name: string): string => {
  const character = entities.get(name)
  if (character !== undefined) return character
  let text = ''
  const source = `&${name};`
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ...silent,
      ontext: (start, end) => {
        text += source.slice(start, end)
      },
      ontextentity: code => {
        text += String.fromCodePoint(code)
      },
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  if (entities.size < 3000) entities.set(name, text)
  return text
}

/** Numbers 128 to 159 mean windows-1252, as HTML has it. */
const western = new TextDecoder('windows-1252')

const decodeCodePoint = (code: number): string => {
  if (code >= 0x80 && code <= 0x9f)
    return western.decode(Uint8Array.of(code), { stream: true }) + western.decode()
  if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  return String.fromCodePoint(code)
}

const reference = /&(?:#[xX]([\da-fA-F]{1,8})|#(\d{1,8})|([A-Za-z_][\w.-]{0,63}));/g

const predefinedEntities = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

const isHtmlName = /^[A-Za-z][\da-zA-Z]{1,31}$/

/**
 * Text of XML with its references replaced: the five of XML, numbers, what the document declares, and the names of HTML. A
 * declared one is replaced by text whose own references are replaced too, once; markup in it is dropped, its text stays.
 */
export const decodeReferences = (text: string, declared?: DeclaredEntities): string =>
  text.includes('&')
    ? text.replace(reference, (written: string, hex?: string, decimal?: string, name = '') => {
        if (hex !== undefined) return decodeCodePoint(Number.parseInt(hex, 16))
        if (decimal !== undefined) return decodeCodePoint(Number(decimal))
        const replacement = predefinedEntities.has(name) ? undefined : declared?.(name)
        if (replacement !== undefined) return decodeReferences(replacement.replace(/<[^<>]*>/g, ''))
        return isHtmlName.test(name) ? decodeNamed(name) : written
      })
    : text
