import type { DiffFile, Line } from '../read/lines.ts'
import { type Hit, type Rule, wholeRule } from '../rule.ts'
import { changed, codeAfter, diff, excerpt } from './code-lines.ts'

const unverified =
  /\bJWT\.decode\([^\n]{0,120},\s*(?:nil|[\w.]{1,40})\s*,\s*false\b|\bjwt\.decode\([^\n]{0,160}\bverify\s*=\s*False|ParseUnverified\(|decode_?without_?verif\w*|\b(?:dangerous_)?insecure_?(?:decode|disable_signature)\w*|\bReadJwtToken\(|\bValidate(?:Issuer(?:SigningKey)?|Lifetime|Audience)\s*=\s*false|\bRequire(?:Signed|Expiration)\w*\s*=\s*false|["']?verify_(?:aud|iss|exp|nbf|signature)["']?\s*(?::|=>|=)\s*(?:False|false)|\bvalidate_(?:exp|aud|nbf)\s*=\s*false|\.unsecured\(\)|\bparseClaimsJwt\(|SignatureAlgorithm\.NONE|\balg["']?\s*[:=]\s*["']none["']/
const verifies =
  /\b(?:jwt|JWT|jose|jsonwebtoken|token\w*)\.(?:verify|jwtVerify)\w*\(|\bjwtVerify\(|\bverifyIdToken\(|\bverify_(?:id_)?token\(|\bValidateToken\(|\bparseClaimsJws\(|\bparseSignedClaims\(/
const onlyReads =
  /\b(?:jwt|JWT|jose|jsonwebtoken)\.decode\w*\(|\bjwt_?[dD]ecode\(|\bdecodeJwt\(|\batob\(\s*\w+\.split|\bsplit\(\s*["']\.["']\s*\)\s*\[\s*1\s*\]/

/** A token that is believed unread. */
const believesToken = (file: DiffFile): Line | undefined => {
  const added = changed(file, 'added')
  const line = added.find(({ text }) => unverified.test(text))
  if (line) return line
  return changed(file, 'removed').some(({ text }) => verifies.test(text)) &&
    !codeAfter(file).some(({ text }) => verifies.test(text))
    ? added.find(({ text }) => onlyReads.test(text))
    : undefined
}

const moves =
  /\b\w{0,30}(?:charge|pay|payout|transfer|refund|capture|settle|withdraw|order|invoice|credit|debit)\w{0,30}\b/i
const newEachTime =
  /\b(?:UUID\.randomUUID|uuid\.?(?:uuid)?v?[147]|uuid\.New\w*|randomUUID|Guid\.NewGuid|SecureRandom\.(?:uuid|hex)|nanoid|Date\.now|time\.time|time\.Now|System\.currentTimeMillis|Math\.random|secrets\.token_\w+|Str::uuid|Uuid::new_v4)\s*\(?/
const repeatKey = /idempoten\w*|dedup\w*|request_?id|client_?(?:order_?)?id|external_?id|reference/i

/** A key that was the same for the same payment, and differs at each attempt now. */
const makesNewKey = (file: DiffFile): Line | undefined => {
  const removed = changed(file, 'removed')
  if (removed.some(({ text }) => newEachTime.test(text))) return undefined
  return changed(file, 'added').find(({ text }) => {
    if (!newEachTime.test(text)) return false
    if (repeatKey.test(text)) return removed.some(before => repeatKey.test(before.text))
    const call = /\b\w[\w.]{0,60}\.(\w{2,40})\(/.exec(text)?.[1]
    return call !== undefined && moves.test(call) && removed.some(before => before.text.includes(`${call}(`))
  })
}

const fromCaller =
  /\breq(?:uest)?\.(?:body|query|params|json|form|data|cookies)|\bparams\b|\$_(?:POST|GET|COOKIE|REQUEST)|\b(?:payload|body|dto|input|form)\b/
const priceOf =
  /(?:\.|\[["']|->|\bget\(["'])(?:unit_?)?(?:price|total|discount|cost|grand_?total|subtotal)\w{0,10}\b/i
const knowsPrice =
  /\b(?:prices?|catalog(?:ue)?|products?|items?|skus?|articles?|tariffs?|plans?|rates?)(?:\.|->|::)\w{0,20}(?:get|find|for|of|price|lookup|by|load|fetch)|\bpriceOf\(|\blookup_?price/i

/** A price that whoever buys says, where it was looked up. */
const believesPrice = (file: DiffFile): Line | undefined => {
  const added = changed(file, 'added')
  if (
    !changed(file, 'removed').some(({ text }) => knowsPrice.test(text)) ||
    added.some(({ text }) => knowsPrice.test(text))
  )
    return undefined
  return added.some(({ text }) => fromCaller.test(text))
    ? added.find(({ text }) => priceOf.test(text))
    : undefined
}

/** What comes from whoever calls, and is believed. */
export const trustRules: readonly Rule[] = [
  wholeRule({
    id: 'code-token-unchecked',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Check the signature, for whom a token is, and until when.',
    hits: [
      diff('a.rb', '+    payload, = JWT.decode(params[:id_token], nil, false)'),
      diff('a.go', '+	t, _, err := jwt.NewParser().ParseUnverified(raw, claims)'),
      diff('a.ts', '-  const claims = jwt.verify(token, key)', '+  const claims = jwt.decode(token)'),
      diff('a.cs', '+    ValidateLifetime = false,'),
      diff('a.py', '+claims = jwt.decode(token, options={"verify_aud": False})'),
    ],
    misses: [
      diff(
        'a.rb',
        '+    payload, = JWT.decode(params[:id_token], nil, true, algorithms: ["RS256"], jwks: jwks)',
      ),
      diff('a.ts', '-  const claims = jwt.decode(token)', '+  const claims = jwt.verify(token, key)'),
      diff(
        'a.ts',
        '+  const { header } = jwt.decode(token)',
        '+  const claims = jwt.verify(token, keys[header.kid])',
      ),
      diff('a.py', '+claims = jwt.decode(token, key, algorithms=["RS256"])'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = believesToken(file)
        return line ? [{ detail: `A token is believed unchecked: ${excerpt(line)}`, place: line.place }] : []
      }),
  }),
  wholeRule({
    id: 'code-new-key-each-time',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Make the key of what is paid, so that a repeated request counts once.',
    hits: [
      diff(
        'A.java',
        '-    gateway.charge(sub, sub.id() + ":" + month);',
        '+    gateway.charge(sub, UUID.randomUUID().toString());',
      ),
      diff(
        'a.py',
        '-    gateway.charge(sub, idempotency_key=key)',
        '+    gateway.charge(sub, idempotency_key=str(uuid.uuid4()))',
      ),
      diff(
        'a.ts',
        '-  headers: { "Idempotency-Key": order.id }',
        '+  headers: { "Idempotency-Key": String(Date.now()) }',
      ),
    ],
    misses: [
      diff(
        'a.py',
        '-    gateway.charge(sub, idempotency_key=str(uuid.uuid4()))',
        '+    gateway.charge(sub, idempotency_key=sub.period_key)',
      ),
      diff('a.ts', '+const order = { id: crypto.randomUUID(), lines }'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = makesNewKey(file)
        return line
          ? [{ detail: `A repeated request would count twice: ${excerpt(line)}`, place: line.place }]
          : []
      }),
  }),
  wholeRule({
    id: 'code-caller-sets-price',
    category: 'code',
    type: 'code_diff',
    severity: 'high',
    fix: 'Look the price up; take from the caller what is bought and how many.',
    hits: [
      diff(
        'cart.ts',
        '-  const sum = lines.reduce((s, l) => s + prices.get(l.sku) * l.qty, 0)',
        '+  const sum = req.body.lines.reduce((s, l) => s + l.price * l.qty, 0)',
      ),
      diff('cart.py', '-    total = catalogue.price_of(sku) * qty', '+    total = request.json["total"]'),
    ],
    misses: [
      diff(
        'cart.ts',
        '-  const sum = req.body.lines.reduce((s, l) => s + l.price, 0)',
        '+  const sum = req.body.lines.reduce((s, l) => s + prices.get(l.sku), 0)',
      ),
      diff('cart.ts', '+  const price = product.price'),
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const line = believesPrice(file)
        return line
          ? [{ detail: `Whoever buys says what it costs: ${excerpt(line)}`, place: line.place }]
          : []
      }),
  }),
]
