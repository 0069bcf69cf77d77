/**
 * Signatures of the challenges and refusals of well-known bot defences. Challenges are not billed, and any site can
 * send one. So every row has a maximum of words, and a header alone never makes a page with status 200 a challenge.
 */

/** A signature. All its conditions must hold. */
export type Signature = {
  by: string
  /** HTTP statuses. Without it, any status matches. */
  statuses?: readonly number[]
  mark?: readonly [header: string, value: RegExp]
  title?: RegExp
  /** Texts that must all be in the source. */
  holds?: readonly string[]
  /** Must match in the source. Linear for any text. */
  matches?: RegExp
  /** Maximum number of words of the visible text. HTML with more words does not match. */
  maxWords: number
  /** Whether bodies of other types than HTML match too, up to `maxOtherBytes`. Default: no. */
  ofAnyType?: boolean
}

/** Statuses by which defences refuse a client. */
export const refusing: readonly number[] = [401, 403, 405, 406, 428, 429, 503]

/**
 * Maximum bytes of a body that is not HTML, whose words are unknown. Challenges of that kind are short JSON or a line of
 * text. A body that was not read has 0 bytes.
 */
export const maxOtherBytes = 16 * 1024

/** Maximum words of a page that refuses a client. The longest known one has about 200. */
const refusalWords = 300

/** The conditions of a page that refuses a client. */
const refusal = { statuses: refusing, maxWords: refusalWords }

const captcha = /class=["'][^"'<>]*\b(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha)\b/i
const humanCheck =
  /\b(?:verify|verifying|confirm|prove|make sure)\b[^<>.]{0,40}\b(?:a human|are human|not a (?:ro)?bot)\b/i

const asksForScriptAndCookies =
  /\b(?:enable|allow|turn on)\b[^<>.]{0,20}\b(?:java ?script and cookies|cookies and java ?script)\b/i

export const signatures: readonly Signature[] = [
  { by: 'Cloudflare', ...refusal, mark: ['cf-mitigated', /^challenge$/i], ofAnyType: true },
  { by: 'Cloudflare', ...refusal, holds: ['_cf_chl_opt'] },
  { by: 'Cloudflare', ...refusal, title: /^(?:Just a moment|Attention Required! \| Cloudflare)/ },
  { by: 'Cloudflare', holds: ['_cf_chl_opt', '/cdn-cgi/challenge-platform/'], maxWords: 100 },
  {
    by: 'Cloudflare',
    statuses: [403, 429],
    title: /used Cloudflare to restrict access/,
    maxWords: refusalWords,
  },
  {
    by: 'Cloudflare',
    statuses: [403, 429],
    matches: /^\s*error code: 10(?:0[6-9]|10|15|20)\b/,
    maxWords: 60,
    ofAnyType: true,
  },
  { by: 'DataDome', ...refusal, mark: ['x-dd-b', /./], ofAnyType: true },
  { by: 'DataDome', ...refusal, holds: ['captcha-delivery.com'], ofAnyType: true },
  { by: 'DataDome', holds: ['captcha-delivery.com', 'var dd='], maxWords: 60 },
  { by: 'HUMAN', ...refusal, holds: ['px-captcha'], ofAnyType: true },
  { by: 'HUMAN', ...refusal, title: /^Access to this page has been denied/, holds: ['_px'] },
  { by: 'HUMAN', ...refusal, holds: ['"blockScript"', '"appId"'], ofAnyType: true },
  {
    by: 'Akamai',
    ...refusal,
    title: /^Access Denied$/,
    matches: /errors\.edgesuite\.net|Reference(?:&#32;| )(?:&#35;|#)/,
  },
  {
    by: 'Akamai',
    holds: ['bm-verify='],
    matches: /http-equiv=["']?refresh["']?[^<>]{0,500}bm-verify=/i,
    maxWords: 100,
  },
  { by: 'Akamai', holds: ['sec-if-cpt-container'], maxWords: 100 },
  { by: 'Akamai', holds: ['/_sec/cp_challenge/'], maxWords: 100 },
  { by: 'Akamai', ...refusal, holds: ['sec-cp-challenge'], ofAnyType: true },
  { by: 'Imperva', matches: /<iframe[^<>]+\/_Incapsula_Resource/i, maxWords: 100 },
  { by: 'Imperva', holds: ['Request unsuccessful. Incapsula incident ID'], maxWords: 60 },
  { by: 'Imperva', title: /^Pardon Our Interruption/, maxWords: 300 },
  {
    by: 'AWS WAF',
    statuses: [202, ...refusing],
    mark: ['x-amzn-waf-action', /^(?:challenge|captcha)$/i],
    maxWords: refusalWords,
    ofAnyType: true,
  },
  { by: 'AWS WAF', statuses: [202, ...refusing], holds: ['gokuProps'], maxWords: refusalWords },
  { by: 'AWS WAF', holds: ['.awswaf.com/', 'challenge.js'], maxWords: 60 },
  {
    by: 'CloudFront',
    statuses: [403],
    title: /^ERROR: The request could not be satisfied/,
    holds: ['Request blocked.'],
    maxWords: refusalWords,
  },
  { by: 'Azure WAF', ...refusal, title: /^Azure WAF/ },
  { by: 'Fastly', holds: ['/_fs-ch-'], maxWords: 60 },
  { by: 'F5', holds: ['The requested URL was rejected', 'upport ID'], maxWords: 60 },
  { by: 'F5', holds: ['bobcmn'], matches: /\/TSPD\/|upport ID/, maxWords: 60 },
  { by: 'Vercel', ...refusal, mark: ['x-vercel-mitigated', /^(?:challenge|deny)$/i], ofAnyType: true },
  { by: 'Vercel', ...refusal, title: /^Vercel Security Checkpoint/ },
  { by: 'Kasada', ...refusal, holds: ['KPSDK'] },
  { by: 'Sucuri', ...refusal, matches: /Sucuri Website Firewall/i },
  { by: 'Sucuri', holds: ['sucuri_cloudproxy_js'], maxWords: 60 },
  { by: 'DDoS-Guard', statuses: refusing, matches: /ddos-guard/i, maxWords: 100 },
  { by: 'Radware', holds: ['validate.perfdrive.com'], maxWords: 100 },
  { by: 'Radware', title: /^Radware (?:Bot Manager )?Captcha/i, maxWords: 100 },
  { by: 'Wordfence', statuses: refusing, matches: /Generated by Wordfence/i, maxWords: 300 },
  { by: 'SiteGround', holds: ['/.well-known/sgcaptcha/'], maxWords: 60 },
  { by: 'Bunny', holds: ['/.bunny-shield/'], maxWords: 60 },
  { by: 'Qrator', holds: ['/__qrator/'], maxWords: 60 },
  { by: 'Arkose', ...refusal, matches: /\b(?:client-)?api\.(?:arkoselabs|funcaptcha)\.com\b/i },
  { by: 'Yandex', holds: ['SmartCaptcha'], matches: /\/(?:show|check)captcha/, maxWords: 100 },
  { by: 'iFastNet', holds: ['slowAES', 'toNumbers'], maxWords: 30 },
  { by: 'Anubis', holds: ['anubis_challenge'], maxWords: 300 },
  { by: 'Amazon', holds: ['/errors/validateCaptcha'], maxWords: 100 },
  { by: 'Alibaba', holds: ['/_____tmd_____/'], maxWords: 100 },
  { by: 'Alibaba', holds: ['acw_sc__v2'], maxWords: 60 },
  { by: 'Tencent', holds: ['EO_Bot_Ssid'], maxWords: 20 },
  { by: 'Reddit', statuses: [403], holds: ['blocked by network security'], maxWords: refusalWords },
  { by: 'Google', ...refusal, holds: ['unusual traffic from your computer network'] },
  { by: 'a captcha', statuses: refusing, matches: captcha, maxWords: 150 },
  { by: 'a question', statuses: refusing, matches: humanCheck, maxWords: 200 },
  { by: 'a question', statuses: refusing, matches: /\bare you (?:a )?(?:human|robot)\?/i, maxWords: 200 },
  { by: 'a question', statuses: refusing, matches: /\bchecking your browser\b/i, maxWords: 200 },
  { by: 'a question', statuses: refusing, matches: /\bverifying your connection\b/i, maxWords: 100 },
  { by: 'a question', statuses: refusing, matches: asksForScriptAndCookies, maxWords: 100 },
]
