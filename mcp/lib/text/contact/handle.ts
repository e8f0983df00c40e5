import * as z from 'zod'
import { factTable } from '../../facts.ts'
import { clauseBefore, cueBefore, firstClause, hasReach } from './cue.ts'
import type { ContactFinding } from './finding.ts'
import { type TextView, withoutMarks } from './views.ts'

/** Messengers and networks by the names that traders write, also misspelt, as letters look (`t3legram` is read as `telegram`). */
const clearNames = withoutMarks(
  [
    String.raw`tele ?gr?ams?|telegramm?|teleg|tlgrm|tgram|what'?s? ?app?|watsapp|wattsapp|whatsap|whassapp|wsapp|wapp|wspp?|discord|dizcord|skype|we ?chat|weixin|viber|snap ?chat|instagram|insta ?gram|insta|facebook|fb messenger|linked ?in|keybase|threema|wickr|kakao ?(?:talk)?|zalo|blue ?sky|bsky|mastodon|nostr|farcaster|warpcast|tik ?tok|twitch|jabber|xmpp|simplex|session id|imessage|facetime|calendly|upwork|fiverr|gmail|g-mail|proton ?mail|hotmail|icloud mail|twitter|reddit|messenger|vk|вк|icq|tg|t\.g\.|ig|qq|snap|kik|fb|w ?x|v ?x`,
    String.raw`微信|微 信|威信|薇信|电报|電報|扣扣|企鹅号|飞机号|телеграм\p{L}{0,3}|телег[аеу]|тг|вот?с?ап\p{L}{0,2}|ватсап\p{L}{0,2}|вацап\p{L}{0,2}|вайбер\p{L}{0,2}|скаип\p{L}{0,2}|скайп\p{L}{0,2}|дискорд\p{L}{0,2}|инстаграм\p{L}{0,2}|инст[аеу]|вконтакте|ライン|カカオ|텔레그램|카카오톡|카톡|디스코드|تلغرام|تليجرام|تيليجرام|تلجرام|واتساب|واتس|टेलीग्राम|व्हाट्सएप|व्हाट्सऐप`,
  ].join('|'),
)

/** Names that are also words or initials: only what stands beside them makes them a messenger. */
const vagueNames =
  'wa|signal|line|slack|teams|zoom|matrix|element|irc|youtube|yt|outlook|yahoo|x|git ?hub|gitlab|zap|whats|steam|vsco|xing|malt'

const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** A word with digits and signs that are written for letters as those letters, where it has letters too. */
const unleet = (text: string): string =>
  text.replace(
    /(?<![\p{L}\p{N}@$])(?=[\w@$!]{0,12}[a-z])(?=[\w@$!]{0,12}[0-57@$!])[a-z0-9@$!]{5,12}(?![\p{L}\p{N}])/giu,
    word => {
      const plain = word.toLowerCase().replace(/[0-57@$!]/g, sign => leet[sign] ?? sign)
      return messengerLike.test(plain) || messengerLike.test(plain.replaceAll('l', 'i'))
        ? plain.padEnd(word.length)
        : word
    },
  )

const messengerLike =
  /^(?:telegram|whatsapp|watsapp|discord|skype|wechat|instagram|insta|signal|gmail|snapchat|viber|facebook|linkedin|linkedln|twitter|protonmail)$/

const name = `(?<![\\p{L}\\p{N}@/.])(?:${clearNames})(?![\\p{L}\\p{N}])`
const vague = `(?<![\\p{L}\\p{N}@/.-])(?:${vagueNames})(?![\\p{L}\\p{N}-])`

const joinedCjk =
  '(?:微信|加微信?|加薇|[Vv]信|[加+➕] ?[Vv]|[Vv][Xx]|威信|薇信|电报|電報|扣扣|QQ|line|telegram|ライン|kakao|카톡|텔레그램)'

/** Words in a handle's place that are none. */
const noHandle =
  /^(?:bots?|alerts?|summar(?:y|ies)|messages?|channels?|groups?|support|integrations?|api|apis|yes|no|none|optional|daily|weekly|notifications?|reports?|posts?|ads|data|scrap(?:er|ing)|automation|sends?|replies|chat|server|community|webhooks?|export|plugin|app|apps|clone|profiles?|pages?|users?|followers|stats|statistics|the|a|an|and|or|with|for|from|to|in|of|on|is|are|as|we|you|it|not|per|each|all|any|new|up|one|two|buy|sell|long|short|hold|price|strategy|trading|processing|quality|noise|generator|strength|marketing|campaigns?|management|manager|growth|content|captions?|reels|stickers|themes?|text|image|video|audio|voice|moderation|onboarding|dashboard|crm|sync|import|backup|logs?|analytics|insights|outreach|connector|login|oauth|sso|included|supported|available|required|preferred|coming|only|via|etc|subscribers|members|likes|views|comments|mentions|keywords|prices|customers|followers|groups?|three|four|five|ten|carousels?|engagement|articles?|threads?|stories|shorts|videos?|scripts?|sdk|cloud|business|web|desktop|mobile|windows|linux|android|ios|fast|free|paid|bot\p{L}*|бот\p{L}*|каналы?)$/iu

const handleLike = String.raw`[@~]?[\p{L}\p{N}_][\p{L}\p{N}_.-]{1,39}`

/** `telegram: ada`, `Discord id is ada`, `wx=ada88`. */
const labelledHandlePattern = new RegExp(
  String.raw`(${name}|${vague})((?:[ -](?:handle|id|user ?name|user|nick(?:name)?|name|account|contact|number|profile|tag|is|me|us|me at|us at|at|under|as|here|号|账号|аккаунт|ник|konto|compte|cuenta|usuario))*)( ?(?:[:=→~|»>–—]|->|-) ?| ?\( ?| )(${handleLike})`,
  'giu',
)

const isMessenger = new RegExp(`^(?:${clearNames}|${vagueNames})$`, 'iu')

const isHandle = (token: string): boolean => /[\d_]|^@|\p{Ll}\p{Lu}|\p{L}\.\p{L}/u.test(token)

/** `line id:` names an account, unless it is a field of an invoice. */
const isNamed = /(?:^| )(?:id|handle|user ?name|nick(?:name)?)$/iu
const isField =
  /(?:order|invoice|item|entry|data|table|cost|product|start|end|new|first|last|each|per|the|a|bus|train) $/iu

const labelledHandles = (text: string): ContactFinding[] =>
  [...text.matchAll(labelledHandlePattern)].flatMap(match => {
    const [whole, messenger = '', label = '', sign = '', token = ''] = match
    const plain = token.replace(/[.-]+$/, '')
    const isVague =
      new RegExp(`^${vague}$`, 'iu').test(messenger) && !new RegExp(`^${name}$`, 'iu').test(messenger)
    const isSign = /[:=→>]/.test(sign) || (sign.trim() !== '' && isHandle(plain))
    const isSocial = /^(?:linked|insta|facebook|twitter|tik|reddit|youtube|twitch|upwork|fiverr)/i.test(
      messenger,
    )
    const isWord =
      noHandle.test(plain) ||
      isMessenger.test(plain) ||
      (!isHandle(plain) && isFollowed(text, match.index + whole.length))
    const cue = cueBefore(text, match.index) === 'reach'
    const isNumbered = /^(?=.*\p{L}.*\p{L}.*\p{L})(?=.*[\d_]).{6,}$/u.test(plain)
    if (
      /^\d{6,20}$/.test(plain) &&
      !isVague &&
      /(?:^| )(?:id|number|account|号|账号)(?: is)? ?$/iu.test(label)
    )
      return [{ kind: 'handle' as const, at: match.index, text: whole, score: cue ? 1.2 : 1 }]
    if (/^\d/.test(plain)) return []
    if (
      !isSign &&
      label === '' &&
      !plain.startsWith('@') &&
      !(isHandle(plain) && (cue || (isNumbered && (!isVague || messenger === 'LINE'))))
    )
      return []
    if (/^(?:me|us)$/i.test(plain)) return []
    // `LinkedIn profile writing`: only these words are followed by a name without a sign between.
    if (
      !isSign &&
      !isHandle(plain) &&
      !(cue && /(?:^| )(?:account|konto|compte|cuenta) ?$/iu.test(label)) &&
      !/(?:is|id|handle|user ?name|nick(?:name)?|as|under|号|账号|ник) ?$/iu.test(label)
    )
      return []
    const score =
      (isWord ? 0.2 : 0.7) +
      (isSign ? 0.3 : 0) +
      (label.trim() !== '' ? 0.3 : 0) +
      (isSign && isNamed.test(label) && !isField.test(text.slice(0, match.index)) ? 0.3 : 0) +
      (isHandle(plain) ? 0.4 : 0) +
      (cue ? 0.4 : 0) -
      (isVague && !(messenger === 'LINE' && isHandle(plain)) ? 0.5 : 0) -
      (isSocial && !isHandle(plain) ? 0.3 : 0)
    return [{ kind: 'handle' as const, at: match.index, text: whole, score }]
  })

/** True when a word goes on as a sentence, so that it is no name. */
const isFollowed = (text: string, end: number): boolean => /^ \p{Ll}{2,}/u.test(text.slice(end, end + 20))

const cjk = new RegExp(
  `${joinedCjk} ?(?:の ?)?(?:号|id|ID|账号|帐号|アカウント|아이디)? ?[:：是はてで=]? ?([a-z0-9_][a-z0-9_.-]{3,30})`,
  'giu',
)

const cjkHandles = (text: string): ContactFinding[] =>
  [...text.matchAll(cjk)].flatMap(match => {
    const isJoined = /[^\0-\x7f]/.test(match[0])
    return isJoined && !noHandle.test(match[1] ?? '')
      ? [{ kind: 'handle' as const, at: match.index, text: match[0], score: 1.1 }]
      : []
  })

const anyName = new RegExp(name, 'giu')
const vagueOn = new RegExp(
  String.raw`(?<=\b(?:on|via|over|through|by|in|to|using|our|my|sur|auf|uber|per|por|no|pelo|su|op|na|в|на|через) (?:my |our |the )?)${vague}`,
  'giu',
)

/** Others who write to somebody, and things that write for him: what a product does is no offer to be reached. */
const others =
  /(?<![\p{L}])(?:who|whom|users?|customers?|clients?|people|visitors?|bots?|agents? that|tool|scripts?|that (?:sends?|posts?|alerts?|notif\p{L}*)|alerts?|notif\p{L}*|scrap\p{L}*|sends?|when|automat\p{L}*|schedul\p{L}*|manag\p{L}*|moderat\p{L}*|integrat\p{L}*|write posts|build|develop\p{L}*)(?![\p{L}])/iu

const productAfter =
  /^['’]?s?[ -](?:bots?|integrations?|apis?|alerts?|notifications?|scrap\p{L}*|automation|plugins?|channels? (?:data|posts|stat\p{L}*)|stickers?|ads?|marketing|posts?|exports?|analytics|data|webhooks?|clients?|templates?|campaigns?|clone|moderation|mini ?apps?|business|groups? (?:data|scrap\p{L}*|moderation))(?![\p{L}])/iu

/** `reach me on Telegram`: an offer to go on there, whether or not a name comes with it. */
const invitations = (text: string): ContactFinding[] =>
  [...text.matchAll(anyName), ...text.matchAll(vagueOn)].flatMap(match => {
    const at = match.index
    const after = text.slice(at + match[0].length, at + match[0].length + 40)
    const clause = clauseBefore(text, at, 60)
    const isPersonal = /^ (?:me|us)(?![\p{L}])/iu.test(after)
    const isNamed =
      /(?:^|[\p{L}\p{N}_.])(?<=(?:^| )(?:as|under)|(?:^| )@?[\p{L}\p{N}_.]{3,30})(?: (?:on|at|@|via|in))? ?$/iu.test(
        clause,
      ) &&
      /[\p{L}\p{N}]*(?:[\d_]|\p{L}\.\p{L})[\p{L}\p{N}_.]* (?:on|at|@|via|in|sur|auf|en|su|op|na|в) ?$/iu.test(
        clause,
      )
    if (isNamed) return [{ kind: 'handle' as const, at, text: match[0], score: 1.1 }]
    if (productAfter.test(after)) return []
    if (isPersonal && !others.test(clause))
      return [{ kind: 'handle' as const, at, text: match[0], score: 1.1 }]
    if (others.test(clause)) return []
    const isOffer =
      hasReach(clause) ||
      /(?<![\p{L}])(?:i am|i'm|we are|we're|je suis|ich bin|soy|estoy|sono|estou|ben)(?![\p{L}])/iu.test(
        clause,
      )
    if (isOffer) return [{ kind: 'handle' as const, at, text: match[0], score: 1 }]
    return []
  })

const technicalNames =
  /^@(?:media|import|param|params|returns?|throws|override|deprecated|here|everyone|channel|mentions?|users?|username|types?|property|autowired|injectable|component|app|decorator|staticmethod|classmethod|dataclass|pytest|tailwind|apply|keyframes|font|font-face|supports|layer|charset|see|link|example|test|before|after|bean|entity|table|column|getmapping|postmapping|requestmapping|controller|restcontroller|service|repository|configuration|nullable|notnull|jsx|ts-ignore|todo|author|since|version|include|extends|state|published|main|available|mainactor|escaping|binding|environment|observable|latest|next|beta|alpha|canary|dev|scale|once|each|if|else|endif|foreach|cache|wraps|abstractmethod|patch|mock|fixture|task|shared_task|click|api|router|get|post|put|delete)$/iu

const atSign = /(?<![\p{L}\p{N}._%+@/-])@ ?[\p{L}_](?:[\p{L}\p{N}_.]{1,38}[\p{L}\p{N}_])(?![\p{L}\p{N}_])/giu

const signHandles = (text: string): ContactFinding[] =>
  [...text.matchAll(atSign)].flatMap(match => {
    const [whole] = match
    const after = text.slice(match.index + whole.length, match.index + whole.length + 2)
    // Packages are written `@scope/name`, annotations `@Name(…)`.
    if (technicalNames.test(whole.split('.')[0] ?? '') || /^\/[\p{L}]|^\(|^ ?\{/u.test(after)) return []
    const isSpaced = whole.startsWith('@ ')
    const cue = cueBefore(text, match.index)
    if (isSpaced && !isHandle(whole.slice(2)) && cue !== 'reach') return []
    return [{ kind: 'handle' as const, at: match.index, text: whole, score: cue === 'about' ? 0.5 : 1 }]
  })

/** Further forms in which somebody offers to be reached, each with how surely it is one. */
const offers = factTable(
  new URL('./data/offers.json', import.meta.url),
  z.array(
    z
      .strictObject({ score: z.number().default(1), pattern: z.string() })
      .transform(({ score, pattern: text }) => {
        const flags = text.startsWith('(?gu)') ? 'gu' : 'giu'
        const source = text
          .replace(/^\(\?gu\)/, '')
          .replace('{names}', clearNames)
          .replace('{messenger}', name)
          .replace('{vague}', vague)
        return { score, pattern: new RegExp(source, flags) }
      }),
  ),
)

const otherHandles = (text: string): ContactFinding[] =>
  offers().flatMap(({ pattern, score }) =>
    [...text.matchAll(pattern)].map(match => ({
      kind: 'handle' as const,
      at: match.index,
      text: match[0],
      score: cueBefore(text, match.index) === 'about' ? score - 0.5 : score,
    })),
  )

const walletName =
  /(?<![\p{L}\p{N}@._-])(?:[\p{L}\p{N}-]{1,40}\.)?[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,40}[\p{L}\p{N}])?\.(?:eth|sol|bnb|crypto|nft|lens|wallet|blockchain|x402|btc|base\.eth|cb\.id|ens|sats|stx|near|polygon|dao|bitcoin|zil|avax|arb|algo|ada)(?![\p{L}\p{N}.-])/giu
const walletAddress =
  /(?<![\p{L}\p{N}])(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{25,70}|[13][1-9A-HJ-NP-Za-km-z]{26,34}|T[1-9A-HJ-NP-Za-km-z]{33}|[1-9A-HJ-NP-Za-km-z]{43,44}|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?|lnbc[0-9a-z]{20,400}|lnurl1[02-9ac-hj-np-z]{20,400}|addr1[0-9a-z]{50,110})(?![\p{L}\p{N}])/gu

const payCue =
  /(?<![\p{L}])(?:pay|send|tip|donate|deposit|wire|transfer|remit|(?:my|our) wallets?|wallet(?: is)? ?(?=[:=]|$)|settle|iban|uberweis\p{L}*|virement|bonifico|transferencia|overschrijv\p{L}*|konto(?:nummer)?|account n(?:umber|o\.?)|lightning)(?![\p{L}])|(?<![\p{L}])(?:btc|bitcoin|eth|usdc|usdt|sol|solana|xmr|monero|ltc|trx|ada)(?: address| wallet)? ?[:=]/iu

const payAfter =
  /(?<![\p{L}])(?:pay(?: me| us| there| it)?|send (?:it|the)|transfer (?:there|it)|direct(?:ly)? (?:to|transfer)|saves? the fee|there directly|transfer directly|send (?:btc|sats|eth|usdc|usdt|sol|funds)|is (?:my|our) (?:wallet|account|address|iban))(?![\p{L}])/iu

const wallets = (text: string): ContactFinding[] => [
  ...[...text.matchAll(walletName)].map(match => ({
    kind: 'wallet' as const,
    at: match.index,
    text: match[0],
    score: cueBefore(text, match.index) === 'about' ? 0.4 : 1,
  })),
  ...[...text.matchAll(walletAddress)].map(match => ({
    kind: 'wallet' as const,
    at: match.index,
    text: match[0],
    score:
      0.5 +
      (cueBefore(text, match.index) === 'reach' ||
      /^ln(?:bc|url)/i.test(match[0]) ||
      payCue.test(clauseBefore(text, match.index, 60)) ||
      payAfter.test(
        firstClause(text.slice(match.index + match[0].length, match.index + match[0].length + 40)),
      )
        ? 0.6
        : 0),
  })),
]

const ownMessenger = new RegExp(
  String.raw`(?<![\p{L}])(?:my|our|мои|мой|наш|mein|unser|mi|mon|notre|meu|nosso|il mio) ${name} (?:is |ist |es |e |est )?(@?[\p{L}\p{N}_.-]{4,40})(?=[,.;)]|\s*$)`,
  'giu',
)

/** `my telegram adalove`: whose it is says that a name follows. */
const ownHandles = (text: string): ContactFinding[] =>
  [...text.matchAll(ownMessenger)]
    .filter(({ 1: token = '' }) => !noHandle.test(token))
    .map(match => ({ kind: 'handle' as const, at: match.index, text: match[0], score: 1 }))

/** A messenger whose name is disguised, `te1egram`: nobody writes so of a product. */
const disguises = (text: string, plain: string): ContactFinding[] =>
  [...plain.matchAll(anyName)]
    .filter(
      ({ 0: word, index }) => text.slice(index, index + word.length).toLowerCase() !== word.toLowerCase(),
    )
    .map(({ 0: word, index }) => ({ kind: 'handle' as const, at: index, text: word, score: 1 }))

/** Handles, offers to go on elsewhere, and wallets in one reading of a text. */
export const findHandles = ({ text, turned }: TextView): ContactFinding[] => {
  const plain = unleet(text)
  if (turned)
    return labelledHandles(plain).filter(({ text: whole }) =>
      /^(?:telegram|whatsapp|discord|skype|wechat|instagram|signal)/i.test(whole),
    )
  return [
    ...disguises(text, plain),
    ...ownHandles(plain),
    ...labelledHandles(plain),
    ...cjkHandles(plain),
    ...invitations(plain),
    ...signHandles(text),
    ...otherHandles(text),
    ...wallets(text),
  ]
}
