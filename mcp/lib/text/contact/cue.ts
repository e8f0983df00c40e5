import { withoutMarks } from './views.ts'

/** What the words before a thing make of it: a way to reach the writer, or something that the offer is about. */
export type Cue = 'reach' | 'look' | 'about' | undefined

const word = (alternatives: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${alternatives.join('|')})(?![\p{L}\p{N}])`, 'giu')

const me = '(?:me|us|our team|my team|the seller|the author|owner|sales|support)'

/** What follows where the word before it is what is traded, and no offer to be reached. */
const notAsSubject = String.raw`(?! (?:forms?|pages?|cent(?:er|re)s?|lists?|data|addresses|verif\p{L}*|valid\p{L}*|marketing|templates?|numbers?|apps?|support|records?|enrichment|sequences?|campaigns?|pars\p{L}*|headers?|deliverability|intelligence|scrap\p{L}*|extract\p{L}*|transcripts?|recordings?|syntax|threads?|archives?|format|fields?))`

/** Words by which somebody offers himself, in the languages of traders. */
const reach = word([
  `contact(?: ${me}| details?| info| is| person| at)?${notAsSubject}`,
  `reach(?:able| out)?(?: to)?(?: ${me})?`,
  `e-?mail(?: ${me}| is| address(?: is)?)?${notAsSubject}`,
  '(?:my|our) (?:repo(?:sitory)?|gist|read ?me|profile)',
  '(?:my|our)(?: (?:work|private|business|direct|personal))? e?-?mail(?: address)?(?: is)?',
  `(?:mail|write|text|call|phone|ring|dm|pm|msg|message|ping|sms|poke|buzz|tip|pay|hire|follow|add|find|catch|join|tag|skype|telegram|whatsapp|signal)(?: to)? ${me}`,
  String.raw`(?:call|text|dm|pm|tel|phone|mobile|cell|sms|fax|hotline|inbox|hmu)(?:(?: now| at| on| or (?:text|whatsapp)| number| is| to)+|(?=[\s.:+(=-]*$))`,
  '(?:call|text|ring|phone)(?: me)? (?:any ?time|now|today|tonight|tomorrow|after|before|between|during)',
  `ask for|(?:hit|look) ${me} up|get in touch|get hold of ${me}|drop ${me} a (?:line|note|mail|message)|in touch`,
  `(?:talk|speak|chat|connect|deal|trade|work|book|negotiate)(?: directly)?(?: to| with) ${me}`,
  '(?:my|our)(?: own| personal| direct| private| company| business| work| public| main)? (?:web ?site|site|web|home ?page|page|shop|store|portfolio|server|endpoint|handle|user ?name|nick(?:name)?|number|channel|group|profile|address|company|domain|inbox|api|bot|blog|url|link|calendar|office|gmail|e-?mail|wallet|cell|mobile|phone|line|host|gateway|ip|a2a|agent card|full name|brand)(?: is| at| here)?',
  `visit(?: ${me})?|come (?:to|by)|go to|head (?:over )?to|stop by|swing by`,
  '(?:order|buy|book|hire|pay|purchase|deal|subscribe|sign up|register|apply|checkout|samples?)(?: it| them| now)?(?: direct(?:ly)?| straight)?(?: at| on| via| from| through| here)',
  String.raw`(?:deal|settle|continue|move|take (?:it|this)|do this|finish)(?: it| this)?(?: \p{L}+){0,2} (?:off[- ]?platform|outside|elsewhere|directly)`,
  String.raw`(?:take|move|continue|switch|discuss|settle|carry on|finish|negotiate|proceed|go on)(?: (?:it|this|that|things|everything|the (?:deal|talk|chat|conversation|rest)|over|there)){0,2} (?:to|on|over|via|in)(?=\s*$)`,
  String.raw`(?:let'?s|let us|we can|we could|can we|shall we) (?:talk|chat|speak|meet|connect|discuss|text)(?: \p{L}+){0,2} (?:on|over|via|in|at)(?=\s*$)`,
  String.raw`(?:follow|join|check|visit|dm|add|message|text|find|ping)(?: out| us on| me on)? (?:my|our)(?=\s*$)`,
  String.raw`(?:qq|icq|whats ?app|watsapp|viber|we ?chat|telegram|tg|signal|zalo|wa|kakao|zoom|webex)(?: meeting)?(?: id| code| number| no\.?| nr\.?)?(?=[\s:=+(]*$)`,
  String.raw`(?:passons|continuons|on continue|weiter|lass uns|sigamos|seguimos|continuamos|vamos|proseguiamo|passiamo|verder|dawaj)(?: \p{L}+){0,2} (?:sur|auf|uber|per|por|en|a|no|na|pelo|su|op|via)(?=\s*$)|(?:давай\p{L}*|переидем|перейдем|продолжим|общаться)(?: \p{L}+){0,2} (?:в|на|через)(?=\s*$)`,
  String.raw`(?:add|find|message|text|call|reach|ping|dm|look up|hit up) [\p{L}\p{N}_.-]{3,30} (?:on|via|over|in)(?=\s*$)|slide into (?:my|our) dms?|(?:my|our) dms?(?: are)?(?: open)?`,
  'off[- ]?platform|outside (?:of )?(?:the |this )?(?:broker|platform|board|site|market)|skip the (?:broker|fee|middleman)|bypass(?:ing)? the (?:broker|fee|platform)|without the (?:broker|fee)',
  String.raw`(?:direct(?:ly)?|straight)(?: at| via| on| to| from)|(?:we are|we're|i am|i'm|you can find (?:me|us)|live) (?:at|on|under)|(?:send|forward|submit|wire|transfer)(?: \p{L}+){0,3} to`,
  String.raw`(?:i|we) (?:answer|reply|respond|react|am|are|work)(?: \p{L}+){0,2} (?:on|via|by|over)(?=\s*$)`,
  // French
  'contact(?:ez|er|e|ons|able)?(?:[ -](?:moi|nous))?|[ée]cri(?:s|vez|re)(?:[ -](?:moi|nous))?|appel(?:ez|le|er)(?:[ -](?:moi|nous))?|joi(?:ndre|gnez|gnable)(?:[ -](?:moi|nous))?|retrouv(?:ez|e)[ -](?:moi|nous)|(?:mon|notre|nos) (?:site|page|adresse|num[eé]ro|mail|courriel|boutique|portable|t[eé]l[eé]phone|profil|compte)|visit(?:ez|er)|courriel|t[eé]l[eé]phone|tél|portable|rendez-vous sur|mon mail|envoyez(?:[ -](?:moi|nous))?|en direct',
  // German
  'kontakt(?:ieren?|iert)?(?: sie| uns| mich)*|schreib(?:en|t|e)?(?: sie)?(?: mir| uns| an)*|erreich(?:bar|en|st)?(?: sie)?(?: mich| uns)*|ruf(?:en|t)?(?: sie)?(?: mich| uns)*(?: an)?|anruf(?:en)?|telefon(?:nummer)?|handy(?:nummer)?|mobil|meld(?:e|en|et)?(?: sie)?(?: dich| sich| euch)*(?: bei)?(?: mir| uns)?|(?:meine|unsere|mein|unser)[rn]? (?:seite|webseite|website|homepage|shop|nummer|adresse|mail|e-?mail|profil|kanal)|besuch(?:en|t|e)?(?: sie)?(?: uns| mich)*|direkt (?:unter|bei|an|über)',
  // Spanish and Portuguese
  'cont[aá]ct(?:o|ame|anos|arme|enos|eme|ar)|escr[ií]b(?:eme|enos|ame|anos|ir|irme)|ll[aá]m(?:ame|anos|eme|ar)|tel[eé]fono|m[oó]vil|celular|correo|(?:mi|nuestro|nuestra|nuestras) (?:sitio|web|p[aá]gina|tienda|correo|n[uú]mero|m[oó]vil|perfil|canal|cuenta|usuario)|vis[ií]t(?:a|e|anos|ame|enos)|h[aá]bl(?:ame|anos|eme)|b[uú]sc(?:ame|anos|ame)|encu[eé]ntr(?:ame|anos)|agr[eé]g(?:ame|anos)|m[aá]nd(?:ame|anos)|contat(?:o|e|ar)(?:[ -](?:me|nos))?|fal(?:e|a|ar) (?:comigo|conosco)|me (?:chama|chame|liga|ligue|manda|mande|adiciona|escreve|procura|encontra)|chama (?:no|na|pelo)|(?:meu|nosso|minha|nossa) (?:site|p[aá]gina|loja|n[uú]mero|e-?mail|perfil|canal|zap|whats|insta)|ligue|telefone|visite|zap',
  // Italian
  'contatt(?:o|ami|aci|atemi|ateci|are|armi)|scriv(?:imi|ici|etemi|eteci|ere|ermi)|chiam(?:ami|aci|atemi|are)|telefono|cellulare|trov(?:ami|aci|atemi)|(?:il mio|il nostro|la mia|la nostra) (?:sito|pagina|negozio|numero|mail|e-?mail|profilo|canale|posta)|visita(?:te|ci)?|cerc(?:ami|aci)|aggiung(?:imi|ici)',
  // Dutch, Polish, Turkish
  'neem contact|contacteer|mail(?: me| mij| ons)|schrijf(?: me| mij| ons| naar)*|bel(?: me| mij| ons| naar)+|bereik(?:baar)?(?: me| mij| ons)*|app(?: me| mij| ons)|stuur(?: me| mij| ons)+|telefoon|(?:mijn|onze|ons) (?:site|website|pagina|webwinkel|nummer|adres|mail|profiel)|bezoek(?: ons)?',
  String.raw`napisz(?: do)?(?: mnie| nas)*|pisz(?: do)?(?: mnie| nas)*|zadzwo[nń]|dzwo[nń]|(?:moja|nasza|moj|m[oó]j|nasz) (?:strona|stronie|adres|numer|sklep|profil)|znajd[zź](?: mnie| nas)|odwied[zź]|ileti[sş]im|bana (?:ula[sş]\p{L}*|yaz\p{L}*)|bize (?:ula[sş]\p{L}*|yaz\p{L}*)|aray[iı]n|beni ara\p{L}*|sitemiz|ula[sş]\p{L}*`,
  // Russian and Ukrainian
  String.raw`(?:на)?пиши(?:те)?(?: мне| нам)*|(?:по)?звони(?:те)?(?: мне| нам)*|свяж(?:итесь|ись|аться)(?: со мной| с нами)*|связь|связаться|контакт\p{L}*|почта|почту|(?:мои|наш|мой|моя|наша|моего|нашем|моем)\p{L}* (?:саит|сайт|сайте|саите|страница|канал|почта|номер|телефон|ник|профиль)\p{L}*|тел|телефон\p{L}*|номер|обращаи\p{L}*|обращай\p{L}*|добавь\p{L}*|ищи(?:те)? меня|заходи(?:те)?`,
  '📧|📞|📱|☎|✉|📩|💬|📲|🌐',
]).source

/** The same of languages that put no spaces between words. */
const reachJoined =
  '联系|聯繫|聯絡|联络|加我|找我|私聊|私信|电话|電話|手机|手機|邮箱|郵箱|官网|官網|网站|我们的网|我的网|微信|連絡|お問い合わせ|メール|ご連絡|サイトは|연락|전화|문의|메일|홈페이지|اتصل|تواصل|هاتف|راسلني|للتواصل|संपर्क|फोन|ईमेल'

const reachAny = new RegExp(`${reach}|${withoutMarks(reachJoined)}`, 'giu')

/** Words that point at something, whoever's it is. */
const look = word([
  'see|look at|check(?: out)?|more (?:info(?:rmation)?|details|here|samples)?(?: at| on| under)?|details (?:at|on)|available (?:at|on|from)|at|demo(?: at)?|samples? (?:at|on)|link|url|website|site|web|homepage|here|served (?:at|from)|running (?:at|on)|connect(?: to)?|server|host|ssh|ip|ping|voir|siehe|ver|vedi|zie|zobacz|смотри|см|unter|auf|sur|sito|sitio',
])

/** Words by which an offer says what it works with, where its data comes from, or what it is like. */
const about = word([
  String.raw`(?:re)?(?:scrap|crawl|scan|prob|monitor|track|watch|extract|collect|pars|fetch|pull|download|import|export|sync|index|mirror|mirr|audit|analy[sz]|rank|benchmark|compar|translat|migrat|cit|quot|verif|archiv|summari[sz]|aggregat|harvest|ingest|convert|classif|enrich|dedup|automat)(?:s|es|e|ed|ing|er|ers|ies|ied|ation|ping)?(?: \p{L}+){0,2}`,
  'integrat(?:es?|ed|ing|ions?)(?: with| for| into)?|compatible(?: with)?|works? with|support(?:s|ed|ing)?(?: for)?|connects to|connectors?(?: for| to)?|plugins?(?: for)?|adapters?(?: for)?|wrappers?(?: for| around)?|clients? (?:for|of)|api(?:s)?(?: of| from| for)?|sdk(?: of| for)?|docs?(?: at| on| of)?|documentation(?: at| on| of)?|spec(?:ification)?(?: at| on| of)?',
  String.raw`(?:data|dataset|datasets|texts?|books?|laws?|maps?|patents?|courses?|photos?|fonts?|icons?|prices?|listings?|posts?|reviews?|products?|papers?|articles?|records?|images?|quotes?|filings?|threads?|tweets?|jobs?|offers?|feeds?|results?|pages?|ads?|comments?|ratings?|events?|repos?|repositories|packages?|questions?|answers?|numbers|figures|statistics|traffic|backlinks?|content|text|scores?|models?|tickets?|releases?|news|headlines|links?|accounts?|users?|members?|flights?|profiles?|copy|copies|domains?|intel(?:ligence)?|whois|seo|audits?|reports?|lookups?|traffic|ranks?|rankings?|metadata|screenshots?|redesign|migration|scraper|crawler|parser|found|seen|shown|traded|quoted|uptime|status|guides?|guidelines?|manuals?|tutorials?|standards?|formats?|templates?|references?)(?: \p{L}+)?(?: from| of| on| at| in| by| via| for)`,
  String.raw`from|sources?|sourced|source(?: is)?|via the|such as|like|e\.g\.?|for example|for instance|including|incl\.?|similar to|alternatives? to|competitors?|clones? of|based on|built (?:on|with)|powered by|runs on|hosted (?:on|at|by)|deployed (?:on|to)|published (?:on|at|by)|listed (?:on|at)|according to|per|cited|as on|as seen on|than|versus|vs\.?|target(?:s|ing)?|policy of|terms of|licen[cs]ed? (?:at|under|of)|registered with|format|placeholders?(?: are)?|fields?(?: are)?|inputs?(?: are)?|fixtures?|pattern|regex|sample|example|dummy|fake|mentions? of|mentioning|timeline of|account of|followers of|posts? by|tweets? by`,
  String.raw`(?<!(?:owner|founder|ceo|team|maker|author|people|staff|we|i|me) )(?:of|behind|against)(?=\s*$)|(?:tests?|backups?|runs?|jobs?) (?:on|to|go to)|von daten|daten (?:von|aus)`,
  // French, German, Spanish, Portuguese, Italian, Dutch, Polish, Russian
  String.raw`donn[eé]es(?: \p{L}+)?(?: de| du| des| d')|depuis|issu(?:e|es|s)? de|provenant de|compatible avec|int[eé]gration(?: avec)?|comme|daten(?: \p{L}+)? (?:von|aus|bei)|von|aus|kompatibel mit|quelle|integration (?:mit|in)|anbindung an|wie|z\.? ?b\.?|datos(?: \p{L}+)? (?:de|desde)|desde|fuente|compatible con|integraci[oó]n con|como|dados(?: \p{L}+)? (?:de|do|da)|compat[ií]vel com|fonte|integra[cç][aã]o com|dati(?: \p{L}+)? (?:da|di)|compatibile con|integrazione con|come|gegevens(?: \p{L}+)? (?:van|uit)|van|uit|bron|compatibel met|zoals|dane(?: \p{L}+)? z|z|źr[oó]d[lł]o|данные(?: \p{L}+)? (?:с|из)|парсинг|с саита|с сайта|из|источник|совместим\p{L}*|интеграция с`,
])

const aboutJoined = '来自|數據|数据|抓取|爬取|兼容|来源|例如|から|データ|対応|取得|데이터|수집|بيانات|من'

const aboutAny = new RegExp(`${about.source}|${aboutJoined}`, 'giu')

const windowLength = 90

const clauseEnd = /[!?;\n。！？；]|\.(?=\s)/gu

/** The words of the same sentence before a place, at most so many that they can still mean it. */
export const clauseBefore = (text: string, at: number, length = windowLength): string => {
  const window = text.slice(Math.max(0, at - length), at)
  let start = 0
  for (const end of window.matchAll(clauseEnd)) {
    // A colon after the end of a sentence, or an abbreviation, goes on.
    if (/(?:e\.g|i\.e|z\.b|p\. ?ex|vs|incl|tel|tél|no|nr|т\.е|тел)$/i.test(window.slice(0, end.index)))
      continue
    start = end.index + 1
  }
  return window.slice(start)
}

/** The words up to the end of the first sentence. */
export const firstClause = (text: string): string => text.split(/[!?;\n。！？；]|\.(?=\s|$)/u)[0] ?? ''

const lastEnd = (text: string, pattern: RegExp): number => {
  let end = -1
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end
}

/** The cue that is nearest before a place; `reach` goes before the others where they end together. */
export const cueBefore = (text: string, at: number, length?: number): Cue => {
  const clause = clauseBefore(text, at, length)
  const [toReach, toAbout, toLook] = [
    lastEnd(clause, reachAny),
    lastEnd(clause, aboutAny),
    lastEnd(clause, look),
  ]
  if (Math.max(toReach, toAbout, toLook) < 0) return undefined
  if (toReach >= toAbout && toReach >= 0) return 'reach'
  return toAbout >= toLook ? 'about' : 'look'
}

/** Whether a text holds words by which somebody offers himself. */
export const hasReach = (text: string): boolean => text.search(reachAny) >= 0
