/**
 * How to tell the challenges and refusals of well-known bot defences from pages: a table. Those that come with
 * any status are believed only on pages that say little else, for articles quote such things.
 */

/** Everything that a row names has to hold. */
export type Signature = {
  by: string
  /** Any status where it is left out. */
  statuses?: readonly number[]
  mark?: readonly [header: string, value: RegExp]
  title?: RegExp
  /** All of these stand in the source. */
  holds?: readonly string[]
  /** Is found in the source; linear for any text. */
  matches?: RegExp
  /** Only pages of HTML whose visible text has no more words than this. */
  mostWords?: number
}

const refusing = [401, 403, 405, 406, 428, 429, 503]

const captcha = /class=["'][^"'<>]*\b(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha)\b/i
const askedForHumans =
  /\b(?:verify|verifying|confirm|prove|make sure)\b[^<>.]{0,40}\b(?:a human|are human|not a (?:ro)?bot)\b/i

export const signatures: readonly Signature[] = [
  { by: 'Cloudflare', mark: ['cf-mitigated', /^challenge$/i] },
  { by: 'Cloudflare', statuses: refusing, holds: ['_cf_chl_opt'] },
  { by: 'Cloudflare', statuses: refusing, title: /^(?:Just a moment|Attention Required! \| Cloudflare)/ },
  { by: 'Cloudflare', holds: ['_cf_chl_opt', '/cdn-cgi/challenge-platform/'], mostWords: 100 },
  { by: 'DataDome', statuses: refusing, mark: ['x-dd-b', /./] },
  { by: 'DataDome', statuses: refusing, holds: ['captcha-delivery.com'] },
  { by: 'DataDome', holds: ['captcha-delivery.com', 'var dd='], mostWords: 60 },
  { by: 'HUMAN', statuses: refusing, holds: ['px-captcha'] },
  { by: 'HUMAN', statuses: refusing, title: /^Access to this page has been denied/, holds: ['_px'] },
  {
    by: 'Akamai',
    statuses: refusing,
    title: /^Access Denied$/,
    matches: /errors\.edgesuite\.net|Reference(?:&#32;| )(?:&#35;|#)/,
  },
  {
    by: 'Akamai',
    holds: ['bm-verify='],
    matches: /http-equiv=["']?refresh["']?[^<>]{0,500}bm-verify=/i,
    mostWords: 100,
  },
  { by: 'Akamai', holds: ['sec-if-cpt-container'], mostWords: 100 },
  { by: 'Akamai', holds: ['/_sec/cp_challenge/'], mostWords: 100 },
  { by: 'Imperva', matches: /<iframe[^<>]+\/_Incapsula_Resource/i, mostWords: 100 },
  { by: 'Imperva', holds: ['Request unsuccessful. Incapsula incident ID'], mostWords: 60 },
  { by: 'Imperva', title: /^Pardon Our Interruption/, mostWords: 300 },
  { by: 'AWS WAF', mark: ['x-amzn-waf-action', /^(?:challenge|captcha)$/i] },
  { by: 'AWS WAF', statuses: [202, ...refusing], holds: ['gokuProps'] },
  { by: 'Vercel', mark: ['x-vercel-mitigated', /^(?:challenge|deny)$/i] },
  { by: 'Vercel', statuses: refusing, title: /^Vercel Security Checkpoint/ },
  { by: 'Kasada', statuses: refusing, holds: ['KPSDK'] },
  { by: 'Sucuri', statuses: refusing, matches: /Sucuri Website Firewall/i },
  { by: 'Sucuri', holds: ['sucuri_cloudproxy_js'], mostWords: 60 },
  { by: 'DDoS-Guard', statuses: refusing, matches: /ddos-guard/i, mostWords: 100 },
  { by: 'Radware', holds: ['validate.perfdrive.com'], mostWords: 100 },
  { by: 'Anubis', holds: ['anubis_challenge'], mostWords: 300 },
  { by: 'Amazon', holds: ['/errors/validateCaptcha'], mostWords: 100 },
  { by: 'Alibaba', holds: ['/_____tmd_____/'], mostWords: 100 },
  { by: 'Google', statuses: refusing, holds: ['unusual traffic from your computer network'] },
  { by: 'a captcha', statuses: refusing, matches: captcha, mostWords: 150 },
  { by: 'a question', statuses: refusing, matches: askedForHumans, mostWords: 200 },
  { by: 'a question', statuses: refusing, matches: /\bare you (?:a )?(?:human|robot)\?/i, mostWords: 200 },
  { by: 'a question', statuses: refusing, matches: /\bchecking your browser\b/i, mostWords: 200 },
]
