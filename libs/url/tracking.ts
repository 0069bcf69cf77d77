/**
 * Query parameters that identify the source of a visit and never the page. Only names with no other meaning belong
 * here, because a wrong entry merges two pages.
 */

/** Every name with one of these prefixes is a tracking parameter. */
const prefixes = ['utm_', 'mtm_', 'piwik_', 'matomo_', 'hsa_']

const names: ReadonlySet<string> = new Set([
  // Google
  'gclid',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'srsltid',
  'gad_source',
  'gad_campaignid',
  '_ga',
  '_gl',
  // Meta, Microsoft, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit, Yandex
  'fbclid',
  'igshid',
  'igsh',
  'msclkid',
  'twclid',
  'ttclid',
  'li_fat_id',
  'epik',
  'sccid',
  'rdt_cid',
  'yclid',
  'ysclid',
  '_openstat',
  // Mail, marketing and analytics tools
  'pk_campaign',
  'pk_kwd',
  'pk_keyword',
  'pk_source',
  'pk_medium',
  'pk_content',
  'pk_cid',
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  'vero_id',
  'vero_conv',
  'oly_anon_id',
  'oly_enc_id',
  '_hsenc',
  '_hsmi',
  '__hssc',
  '__hstc',
  '__hsfp',
  'hsctatracking',
  '_kx',
  '_bta_tid',
  '_bta_c',
  'wickedid',
  'rb_clickid',
  'irclickid',
  's_kwcid',
  'ef_id',
])

/**
 * Returns a query, given without its leading `?`, without its tracking parameters. The rest keeps its order and
 * spelling.
 */
export function withoutTracking(query: string): string {
  const parameters = query.split('&')
  const own = parameters.filter(parameter => !isTracking(parameter))
  return own.length === parameters.length ? query : own.join('&')
}

function isTracking(parameter: string): boolean {
  const equals = parameter.indexOf('=')
  const name = (equals === -1 ? parameter : parameter.slice(0, equals)).toLowerCase()
  return names.has(name) || prefixes.some(prefix => name.startsWith(prefix))
}
