/**
 * The AI bots with reported policies, maintained by hand and last reviewed on 2026-11-21. Each row has the operator,
 * the purpose and the operator's documentation (null if no such page is known).
 */

/**
 * The bot fetches pages to train models (`training`), to index them for the answers of an assistant (`search`), or on
 * behalf of a person that uses an assistant (`user`).
 */
export type AiBotPurpose = 'training' | 'search' | 'user'

export type AiBot = {
  /** The name in robots.txt, in the operator's spelling. robots.txt ignores case. */
  token: string
  operator: string
  purpose: AiBotPurpose
  documentation: string | null
}

const openai = 'https://platform.openai.com/docs/bots'
const anthropic = 'https://support.claude.com/en/articles/8896518'
const google = 'https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers'
const meta = 'https://developers.facebook.com/docs/sharing/webmasters/web-crawlers'
const amazon = 'https://developer.amazon.com/amazonbot'
const apple = 'https://support.apple.com/en-us/119829'
const perplexity = 'https://docs.perplexity.ai/guides/bots'
const webz = 'https://webz.io/bot.html'
const ai2 = 'https://allenai.org/crawler'

const rows: readonly (readonly [string, string, AiBotPurpose, string | null])[] = [
  ['GPTBot', 'OpenAI', 'training', openai],
  ['OAI-SearchBot', 'OpenAI', 'search', openai],
  ['ChatGPT-User', 'OpenAI', 'user', openai],
  ['ClaudeBot', 'Anthropic', 'training', anthropic],
  ['Claude-SearchBot', 'Anthropic', 'search', anthropic],
  ['Claude-User', 'Anthropic', 'user', anthropic],
  ['Claude-Web', 'Anthropic', 'training', null],
  ['anthropic-ai', 'Anthropic', 'training', null],
  ['Google-Extended', 'Google', 'training', google],
  ['GoogleOther', 'Google', 'training', google],
  ['Google-CloudVertexBot', 'Google', 'search', google],
  ['Gemini-Deep-Research', 'Google', 'user', null],
  ['Applebot-Extended', 'Apple', 'training', apple],
  ['Applebot', 'Apple', 'search', apple],
  ['PerplexityBot', 'Perplexity', 'search', perplexity],
  ['Perplexity-User', 'Perplexity', 'user', perplexity],
  ['meta-externalagent', 'Meta', 'training', meta],
  ['meta-externalfetcher', 'Meta', 'user', meta],
  ['FacebookBot', 'Meta', 'training', meta],
  ['Amazonbot', 'Amazon', 'training', amazon],
  ['Amzn-SearchBot', 'Amazon', 'search', amazon],
  ['Amzn-User', 'Amazon', 'user', amazon],
  ['bedrockbot', 'Amazon', 'user', null],
  ['CCBot', 'Common Crawl', 'training', 'https://commoncrawl.org/ccbot'],
  ['Bytespider', 'ByteDance', 'training', null],
  ['TikTokSpider', 'ByteDance', 'training', null],
  ['cohere-ai', 'Cohere', 'user', null],
  ['cohere-training-data-crawler', 'Cohere', 'training', null],
  ['MistralAI-User', 'Mistral AI', 'user', 'https://docs.mistral.ai/robots'],
  [
    'DuckAssistBot',
    'DuckDuckGo',
    'user',
    'https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot',
  ],
  ['YouBot', 'You.com', 'search', 'https://about.you.com/youbot/'],
  ['DeepSeekBot', 'DeepSeek', 'training', null],
  ['Diffbot', 'Diffbot', 'training', 'https://docs.diffbot.com/'],
  ['omgili', 'Webz.io', 'training', webz],
  ['Webzio-Extended', 'Webz.io', 'training', webz],
  ['AI2Bot', 'Allen Institute for AI', 'training', ai2],
  ['AI2Bot-Dolma', 'Allen Institute for AI', 'training', ai2],
  ['ImagesiftBot', 'Hive', 'training', 'https://imagesift.com/about'],
  ['img2dataset', 'img2dataset', 'training', 'https://github.com/rom1504/img2dataset'],
  ['PetalBot', 'Huawei', 'search', 'https://webmaster.petalsearch.com/site/petalbot'],
  ['PanguBot', 'Huawei', 'training', null],
  ['Timpibot', 'Timpi', 'training', null],
  ['VelenPublicWebCrawler', 'Velen', 'training', 'https://velen.io'],
  ['ICC-Crawler', 'NICT', 'training', 'https://ucri.nict.go.jp/en/icccrawler.html'],
]

export const aiBots: readonly AiBot[] = rows.map(([token, operator, purpose, documentation]) => ({
  token,
  operator,
  purpose,
  documentation,
}))

const tokens = new Set(aiBots.map(({ token }) => token.toLowerCase()))

/** Returns whether a name is the token of a bot in the table, ignoring case. */
export const isAiBot = (name: string): boolean => tokens.has(name.toLowerCase())
