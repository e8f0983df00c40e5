import type * as Parse5 from 'parse5'

/** The parser, as far as its tokenizer has it. */
type Parser = Parse5.TokenHandler & {
  options: Parse5.TokenizerOptions
  insertionMode: Parse5.InsertionMode
}

type Library = Pick<typeof Parse5, 'Tokenizer' | 'InsertionMode' | 'Token'>

const signs = {
  null: 0,
  space: 32,
  carriageReturn: 13,
  quote: 34,
  ampersand: 38,
  apostrophe: 39,
  hyphen: 45,
  lessThan: 60,
} as const

const isSpace = (unit: number): boolean => unit <= signs.space && /[ \n\t\f]/.test(String.fromCharCode(unit))

/** True when the tokenizer looks at a unit of text by itself: it begins something, or is not what it reads as. */
const isSpecial = (unit: number): boolean =>
  unit === signs.lessThan || unit === signs.null || unit === signs.carriageReturn

const isNamePart = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit === signs.hyphen

/** Shorter parts of a text are copies, longer ones keep all of it in memory. */
const maxCopied = 12

/**
 * The tokenizer of parse5, which goes over text, values and names at once instead of from letter to letter, and hands words with the
 * spaces between them over together where the tree builder does the same with both. It may be given whole pages only, and tells no
 * places.
 */
export const wholePageTokenizer = ({
  Tokenizer,
  InsertionMode,
  Token: { TokenType },
}: Library): ((parser: Parser) => Parse5.Tokenizer) => {
  /** Modes that insert text whether or not it is white space. */
  const joining: readonly boolean[] = Array.from({ length: 23 }, (_, mode) =>
    [
      InsertionMode.IN_BODY,
      InsertionMode.TEXT,
      InsertionMode.IN_CAPTION,
      InsertionMode.IN_CELL,
      InsertionMode.IN_TEMPLATE,
    ].includes(mode),
  )

  class WholePageTokenizer extends Tokenizer {
    private readonly parser: Parser

    constructor(parser: Parser) {
      super(parser.options, parser)
      this.parser = parser
    }

    /** Emits a code point and the text behind it, up to what is special, `also` or, where they go apart, a space. */
    private emitText(cp: number, also: number): void {
      const isJoining = this.inForeignNode || joining[this.parser.insertionMode] === true
      if (isJoining && this.currentCharacterToken?.type === TokenType.CHARACTER && isSpace(cp))
        this._extendRun(cp)
      else this._emitCodePoint(cp)
      if (this.currentCharacterToken?.type !== TokenType.CHARACTER) return
      const { preprocessor } = this
      const { html, pos } = preprocessor
      // The line feed behind it is dropped.
      if (html.charCodeAt(pos) === signs.carriageReturn) return
      const { length } = html
      let at = pos + 1
      while (at < length) {
        const unit = html.charCodeAt(at)
        if (isSpecial(unit) || unit === also || (!isJoining && unit <= signs.space)) break
        at++
      }
      preprocessor.pos = at - 1
      this.runEnd = at
    }

    /** Adds a code point and what stands behind it to a value or a comment, up to what is special or `also`. */
    private extendText(cp: number, also: number): void {
      this._extendRun(cp)
      const { preprocessor } = this
      const { html, pos } = preprocessor
      if (html.charCodeAt(pos) === signs.carriageReturn) return
      const { length } = html
      let at = pos + 1
      while (at < length) {
        const unit = html.charCodeAt(at)
        if (isSpecial(unit) || unit === also || unit === signs.ampersand) break
        at++
      }
      preprocessor.pos = at - 1
      this.runEnd = at
    }

    /** Takes the next part of a name of small letters; empty when there is none. */
    private takeName(): string {
      const { preprocessor } = this
      const { html, pos } = preprocessor
      const last = Math.min(html.length, pos + maxCopied)
      let at = pos
      while (at < last && isNamePart(html.charCodeAt(at))) at++
      if (at === pos) return ''
      preprocessor.pos = at - 1
      return html.slice(pos, at)
    }

    protected override _stateData(cp: number): void {
      if (cp <= signs.null || cp === signs.lessThan || cp === signs.ampersand) super._stateData(cp)
      else this.emitText(cp, signs.ampersand)
    }

    protected override _stateRcdata(cp: number): void {
      if (cp <= signs.null || cp === signs.lessThan || cp === signs.ampersand) super._stateRcdata(cp)
      else this.emitText(cp, signs.ampersand)
    }

    protected override _stateRawtext(cp: number): void {
      if (cp <= signs.null || cp === signs.lessThan) super._stateRawtext(cp)
      else this.emitText(cp, signs.lessThan)
    }

    protected override _stateScriptData(cp: number): void {
      if (cp <= signs.null || cp === signs.lessThan) super._stateScriptData(cp)
      else this.emitText(cp, signs.lessThan)
    }

    protected override _stateScriptDataEscaped(cp: number): void {
      if (cp <= signs.null || cp === signs.lessThan || cp === signs.hyphen) super._stateScriptDataEscaped(cp)
      else this.emitText(cp, signs.hyphen)
    }

    protected override _stateAttributeValueDoubleQuoted(cp: number): void {
      if (cp <= signs.null || cp === signs.quote || cp === signs.ampersand)
        super._stateAttributeValueDoubleQuoted(cp)
      else this.extendText(cp, signs.quote)
    }

    protected override _stateAttributeValueSingleQuoted(cp: number): void {
      if (cp <= signs.null || cp === signs.apostrophe || cp === signs.ampersand)
        super._stateAttributeValueSingleQuoted(cp)
      else this.extendText(cp, signs.apostrophe)
    }

    protected override _stateComment(cp: number): void {
      if (cp <= signs.null || cp === signs.hyphen || cp === signs.lessThan) super._stateComment(cp)
      else this.extendText(cp, signs.hyphen)
    }

    protected override _stateTagName(cp: number): void {
      const name = isNamePart(cp) ? this.takeName() : ''
      if (name === '') super._stateTagName(cp)
      else (this.currentToken as Parse5.Token.TagToken).tagName += name
    }

    protected override _stateAttributeName(cp: number): void {
      const name = isNamePart(cp) ? this.takeName() : ''
      if (name === '') super._stateAttributeName(cp)
      else this.currentAttr.name += name
    }
  }

  return parser => new WholePageTokenizer(parser)
}
