/** Words that say nothing of what a tool does, in the languages that questions come in; written as `toWords` leaves them. */
const stopWords = new Set(
  [
    'a about after all also am an and any anything are as at be because been before being below both but by can cannot could did do does doing done each else ever every find for from get gets getting give gives given go goes got had has have having he her here him his how however i if in into is it its just know let lets like look make makes many may me might mine more most much must my need needs now of off on one only or other our ours out over own please quickly really s say see she should show shows so some somebody someone something still such t take tell tells than that the their them then there these they thing things this those through to too tool tools try us use using very via want wants was way we well were what whats when where whether which while who why will wish with without would you your yours www http https com org net exist exists kind kinds available today set up correctly become',
    'aber alle als am an auch auf aus bei bin bitte das dass dem den der des die dies diese dieser dieses doch du ein eine einem einen einer eines er es euch finde fur gib hat haben hier ich ihr im in ist ja kann kannst man mein meine meinem meinen meiner mir mit mochte nach nicht noch nur ob oder ohne schon sein seine sich sie sind soll und uns unser von vom vor war was welche welcher welches wem wenn wer werden wie wieder will wird wo wurde zu zum zur zeige uber gerade jetzt hoch viel mir diesem diesen gibt gehen geht mal etwas so als',
    'au aux avec ce cela ces cet cette comment dans de des du elle en est et etre fait il ils je la le les leur lui ma mais me mes moi mon ne nos notre nous on ou par pas peux peut pour pourquoi quand que quel quelle quelles quels qui sa sans se ses si son sont sur ta te tes toi ton trouve tu un une veux voir vos votre vous y suis quels ai as avons donne',
    'al algo como con cual cuales cuando de del donde el ella en es esa ese eso esta este esto estos hay la las lo los mas me mi mis mucho muy no nos nuestro o para pero por porque puede puedo que quien quiero se si sin sobre son su sus te tengo tiene tu un una unas unos y ya',
    'alla allo anche che chi come con cosa da dal dalla degli dei del della delle di dove e gli ha hai ho i il io la le lo ma mi mia mio ne nel nella noi non o per perche piu posso puo qual quale quali quando quanto questa questo se sei si sono su sua sul suo tra tu un una uno voglio',
    'aan als bij dat de deze die dit een en er het hij hoe ik in is je kan maar me met mij mijn na naar niet nog of om ook op over te tot u uit van voor waar was wat we welke wie wil worden zijn komt waar deze veel hoeveel laat heeft hebben dan',
    'ao aos as com como da das de do dos e ela ele em essa esse esta este eu foi isso ja la mais mas meu meus minha na nao nas no nos o os ou para pela pelo por porque posso qual quais quando que quem quero se sem seu sua sao tem um uma voce',
  ]
    .join(' ')
    .split(' '),
)

/**
 * Words that mean the same to who asks; the first stands for all. Only what holds for every tool is here: what one tool is
 * called elsewhere is among its `keywords`.
 */
const synonyms = [
  'email e-mail mail mails mailbox inbox correo courriel',
  'website site homepage webpage web page sito sitio seite webseite pagina webpagina pages seiten pagine paginas',
  'price cost costs fee fees charge preis kosten gebuhr prix frais tarif precio tarifa cuesta prezzo costa prijs kost preco custa',
  'check verify validate inspect examine test confirm prufen uberprufen verifier verificar controllare controleren',
  'broken dead rotten defekt cassé casse roto rotto kaputt kapotte',
  'link links hyperlink hyperlinks url urls',
  'wallet purse geldborse cartera portefeuille portafoglio portemonnee',
  'money cash funds geld argent dinero denaro dinheiro',
  'picture image photo img pictures images bild imagen immagine afbeelding',
  'language lang sprache langue idioma lingua taal',
  'company firm business unternehmen firma entreprise empresa azienda bedrijf',
  'crypto blockchain onchain on-chain web3',
  'transaction tx txn transactions transaktion transaccion transazione transactie',
  'delete remove withdraw cancel withdrawal loschen entfernen stornieren supprimer annuler eliminar borrar cancelar annullare verwijderen annuleren apagar',
  'create add open register make erstellen creer crear creare criar eroffnen ouvrir abrir aprire openen',
  'fix repair mend correct reparieren reparer reparar riparare repareren',
  'extract pull scrape parse pick detect recognise recognize extrahieren extraire extraer estrarre extraheren',
  'signature sign signed signing unterschrift firma',
  'owner owns registrant proprietaire besitzer dueno proprietario eigenaar besitzt besitzen gehort possede posee possiede bezit possui',
  'account konto compte cuenta conto conta',
  'cheap cheaper inexpensive',
  'negotiation negotiate bargain haggle thread negotiations verhandeln verhandlung negocier negociation negociar negociacion trattare trattativa onderhandelen onderhandeling negociacao',
  'agent agents bot bots assistant',
  'spoof spoofable spoofing forge forged impersonate impersonation',
  'location locate where geolocation geolocate place country',
  'summary summarise summarize overview',
  'expire expires expiry expiration lapse',
  'text texte texto testo tekst paragraph sentence',
  'colour color colours colors',
  'article story post blog artikel noticia noticias articolo artigo',
  'seller vendor supplier provider',
  'buy purchase acquire order bought kaufen acheter comprar comprare kopen',
  'sell sold sale selling offering offered verkaufen vendre vender vendere verkopen',
  'pay paid payment payments paying zahlen bezahlen zahlung payer paiement pagar pago pagare pagamento betalen betaling',
  'safe secure trustworthy trust reliable legit legitimate risky risk dangerous scam sicher sur seguro sicuro veilig',
  'endpoint api server',
  'many several multiple bulk dozens twenty fifty hundred hundreds batch lots',
  'send sent sending transfer transferred schicken senden schick envoyer envoie enviar envia inviare sturen mandar uberweisen',
  'build built building',
  'write wrote written writing schreiben ecrire escribir scrivere schrijven escrever',
  'fetch download retrieve',
  'free gratis kostenlos gratuit gratuito kosteloos',
  'reputation reviews ratings rating trustworthiness',
  'capability capabilities skill skills ability abilities',
  'hungry starving hunger',
  'cat kitty kitten katze chat gato gatto kat feline',
  'redirect redirects forward forwards',
  'score grade rank ranking',
  'begin start started starting',
  'reject refuse decline rejected refused ablehnen abgelehnt rejeter rechazar rechazaron rifiutare rifiutato afgekeurd recusar recusado',
  'agree accept approve yes',
  'notify notification notifications alert alerts',
  'new newest latest recent current',
  'reachable online alive responds respond responding respons',
  'ad ads advert advertisement advertisements listing listings anzeige annonce anuncio annuncio',
  'offline unpublish takedown',
  'missing absent lacking',
  'spend spent spending expenses',
  'domain domains domaine dominio domein',
  'library libraries plugin plugins',
  'answer answers answered reply replies replied antwort reponse respuesta risposta',
  'contact contacts kontakt kontaktdaten coordonnees contacto contatto contactgegevens',
  'authentic genuine original echt authentique autentico',
  'contract contracts vertrag vertrage contrat contrats contrato contratos contratto',
  'translation translate translates translator ubersetzen ubersetzung traduire traduction traducir traduzca traduccion tradurre traduzione vertalen',
  'route routes webhook callback',
  'background diligence dossier',
  'bid bids propose proposes proposal counter counteroffer gebot',
  'help newcomer beginner neu nouveau nuevo',
  'deal deals trade trades bargains geschaft geschafte',
  'preview peek glimpse glance vorschau apercu',
  'board market marketplace marktplatz marche mercado mercato markt',
  'internet web external elsewhere outside',
  'author authors byline autor auteur autore',
  'statistics statistic stats numbers figures volume statistik statistiques',
  'complete whole full entire all-in-one',
  'tax steuer impuesto imposta belasting imposto taxe',
  'compare vergleichen comparer comparar confrontare vergelijken',
  'change modify edit andern changer cambiar cambiare wijzigen mudar',
  'question frage pregunta domanda vraag pergunta',
  'history verlauf historique historial cronologia geschiedenis historico',
  'address adresse direccion indirizzo adres endereco adressen',
  'security sicherheit securite seguridad sicurezza beveiliging seguranca',
  'phone telephone telefon telefono telefoon telefone',
  'table tabelle tableau tabla tabella tabel tabela',
  'news nachrichten nouvelles noticias notizie nieuws',
  'report bericht rapport informe rapporto relatorio',
  'official offiziell offizielle officiel officielle oficial ufficiale officiele amtlich',
  'task job gig errand microtask aufgabe auftrag tache boulot tarea compito taak klus tarefa',
  'worker freelancer executor arbeiter travailleur trabajador trabajadores lavoratore lavoratori werker trabalhador trabalhadores',
  'forecast prediction predict predictions vorhersage prognose prevision previsions pronostico prediccion previsione voorspelling previsao',
  'probability odds chance chances likelihood likely wahrscheinlichkeit probabilite probabilidad probabilita probabilidade kans',
  'bounty reward belohnung recompense recompensa ricompensa beloning',
  'hire employ recruit embaucher contratar assumere inhuren',
  'vault tresor depot coffre boveda kluis cofre',
  'share shares stock stocks equity equities aktie aktien acciones azioni aandelen acoes',
  'bridge bridging cross-chain brucke puente',
  'earn earned earnings verdienen verdienst gagner gains ganar ganancias guadagnare guadagni ganhar',
  'balance kontostand solde saldo guthaben',
]

const endings = /(?:ations?|ings?|es|ed|ers?|s)$/

const stem = (word: string): string => {
  if (word.length < 5 || !/^[a-z]+$/.test(word))
    return word.length === 4 ? word.replace(/([^s])s$/, '$1') : word
  const cut = word.replace(/ie[sd]$/, 'y').replace(endings, '')
  return (cut.length < 3 ? word : cut).replace(/e$/, '').replace(/([b-df-hj-np-tv-z])\1$/, '$1')
}

const canonical = new Map(
  synonyms.flatMap(group => {
    const [first = '', ...others] = group.split(' ')
    return others.map(word => [stem(word), stem(first)] as const)
  }),
)

/** Scripts without spaces are read in pairs of characters. */
const pairs = (word: string): string[] => {
  const characters = [...word]
  if (characters.length < 3) return [word]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}

const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu

const bare = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')

/** The words of a text without accents; scripts without spaces in pairs. */
export const splitWords = (text: string): string[] => {
  const plain = bare(text).replace(/\be-mail/g, 'email')
  return [
    ...(plain.replace(ideographs, ' ').match(/[\p{L}\p{N}]+/gu) ?? []),
    ...(plain.match(ideographs)?.flatMap(pairs) ?? []),
  ]
}

export const saysNothing = (word: string): boolean => stopWords.has(word)

/** The word that stands for a word and for all that mean the same, without its ending. */
export const toTerm = (word: string): string => {
  const root = stem(word)
  return canonical.get(root) ?? root
}

/** Words of the synonyms, as they are written: a misspelt one is one of them too. */
export const synonymWords = synonyms.flatMap(group => splitWords(group))

const examples: readonly [pattern: RegExp, meaning: string][] = [
  [/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, ' email address '],
  [/\bhttps?:\/\/\S+/gi, ' url page '],
  [/\b0x[\da-f]{64}\b/gi, ' transaction hash '],
  [/\b0x[\da-f]{40}\b/gi, ' evm address '],
  [/\b[\w-]+\.eth\b/gi, ' ens name evm address '],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, ' ip address '],
  // Verbs of two words, of which each alone says something else.
  [/\bsign(?:ing)?[ -]?up\b/gi, ' register account '],
  [/\bwho (?:wrote|has written)\b/gi, ' author '],
  [/\blook(?:ing)? (?:for|around)\b/gi, ' browse search '],
  [/\b(?:i am|i'm|we are) new\b/gi, ' first contact onboarding '],
  [/\b(?:sell|offer)(?:ing)?\b.{1,40}\bto (?:other |others|agents|bots|people)/gi, ' $& post listing '],
  // A number of things is a list of them.
  [
    /\b(?:[5-9]|[1-9]\d{1,3}) (?:[a-z-]+ ){0,2}(?:emails|addresses|domains|urls|links|sites|websites|pages|hosts|ips|wallets|inputs)\b/gi,
    ' $& multiple inputs ',
  ],
  [/\btak(?:e|ing) down\b/gi, ' withdraw '],
  [
    /\b(?:AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)U?\d[\dA-Z]{6,11}\b/g,
    ' vat number ',
  ],
  [
    /\b(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|eu|de|fr|es|it|nl|be|pt|uk|ai|app|example|test|info|biz|co)\b/gi,
    ' $& domain ',
  ],
]

/** A question with examples of things replaced by what they are: `ada@example.com` by "email address". */
export const nameThings = (question: string): string =>
  examples.reduce((text, [pattern, meaning]) => text.replace(pattern, meaning), question)

const firstPerson = /\b(?:my|mine|our|ours|(?:am|have|did|do) (?:i|we))\b/i

/** Whether a question is about what belongs to who asks. */
export const isAboutOneself = (question: string): boolean => firstPerson.test(question)
