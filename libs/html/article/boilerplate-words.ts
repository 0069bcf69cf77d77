/**
 * Words in class names and ids that identify the kind of an element. Consecutive words form one phrase. If a name has
 * words of several kinds, the first kind in this table counts.
 */
export const boilerplateWords = {
  navigation:
    'nav|navi|navbar|navigation|menu|menus|submenu|megamenu|subnav|breadcrumb|breadcrumbs|crumbs|pagination|pager|' +
    'pagenav|skip|prev next|post nav|page numbers|toc|table of contents|tableofcontents|jump|backtotop|back to top|back2top|' +
    'offcanvas|drawer|masthead|topbar|top bar|hamburger|catlinks',
  footer: 'footer|colophon|copyright|site info|foot|bottom bar',
  comments:
    'comment|comments|commentlist|disqus|respond|commentform|replies|livefyre|kommentare|discussion|fb comments',
  related:
    'related|relateds|relatedposts|recommended|recommendations|recommendation|recirc|recirculation|outbrain|taboola|popular|' +
    'trending|most read|mostread|read next|readnext|read more|readmore|more stories|more news|more articles|' +
    'more posts|also like|you may|see also|seealso|upnext|up next|crosslink|crosslinks|' +
    'teasers|otherposts|other posts|recent posts|yarpp|moreon|more on|further reading|next article|' +
    'previous article|next post|previous post|adjacent',
  share:
    'share|shares|sharing|sharebar|sns|sharedaddy|sociable|social|socials|socialmedia|addthis|addtoany|a2a|follow|' +
    'tweet this|bookmark|sharebuttons|shareaholic|print|noprint|no print|printfooter|' +
    'toolbar|tools|actions|edit section|editsection',
  newsletter:
    'newsletter|newsletters|enews|subscribe|subscription|subscriptions|signup|sign up|optin|opt in|mailchimp|mc4wp|' +
    'mailing|paywall|regwall|piano|register|login|signin|lead magnet|leadgen|lead form|restricted content|restricted message|hs form|gform|wpforms|wpcf7',
  consent:
    'consent|gdpr|onetrust|ccpa|cookie banner|cookies banner|cookie bar|cookie notice|cookies notice|cookie message|' +
    'cookie popup|cookie modal|cookie dialog|cookie overlay|cookie law|cookie info|cookie wall|cookie alert|cookie settings|' +
    'cookie preferences|cookiebanner|cookiebar|cookienotice|cookiebot|cookieconsent|privacy banner|privacy popup|' +
    'privacy manager|privacy overview|cookie description|cookielawinfo|wt cli|cli privacy|borlabs cookie',
  promotion:
    'cta|ctas|call to action|promo|promos|promotion|promobox|banner|announcement|sticky|donate|donation|donations|' +
    'membership|shop now|cart|checkout|buy now|affiliate|sale|upsell|product card|testimonial|testimonials|' +
    'reviews slider|trustpilot|google reviews|disclosure',
  advertising:
    'ad|ads|adv|advert|adverts|advertisement|advertising|adsbygoogle|adsense|adslot|ad slot|adunit|adbox|dfp|' +
    'sponsor|sponsored|sponsors|werbung|anzeige|anzeigen|publicidad|gpt',
  /** Names of notices, and of whole texts. */
  policy: 'cookie|cookies|privacy|legal|disclaimer|imprint',
  overlay:
    'modal|modals|popup|popups|popover|overlay|lightbox|tooltip|dialog|dropdown|flyout|toast|snackbar|alert window',
  sidebar:
    'sidebar|sidebars|side bar|sidepanel|side panel|side|rail|right rail|rightrail|widgets|widgettitle|textwidget|' +
    'widget area|aside|sidenav|secondary|tertiary',
  author:
    'author|authors|byline|bylines|by line|authorbox|bio|biography|vcard|contributor|contributors|writer|autor|' +
    'avatar|profile|user info|signature',
  meta:
    'meta|metadata|postmeta|date|dates|dateline|datetime|timestamp|published|pubdate|updated|post info|postinfo|' +
    'article info|posted|tags|tag|taglist|taxonomy|categories|keywords|topics|reading time|readtime|read time|views|' +
    'view count|viewcount|kicker|eyebrow|labels|attribution|' +
    'rating|ratings|votes|likes|vote',
  sources:
    'reflist|ref list|references|reference list|footnotes|footnote|endnotes|bibliography|works cited|citations|citation list',
  caption:
    'caption|captions|figcaption|wp caption text|credit|credits|photocredit|photographer|imagecaption|' +
    'bildunterschrift|copyright notice|thumbcaption',
  form:
    'search|searchform|form|filter|filters|poll|quiz|survey|feedback|button|buttons|btn|language|languages|' +
    'lang switcher',
  /** Recognized by structure instead of words. */
  teasers: '',
} as const

export type BoilerplateKind = keyof typeof boilerplateWords

/**
 * The maximum share of a text that an element, or all elements with one name, may contain as boilerplate. Names of
 * larger elements describe their layout or their subject.
 */
export const maxShare: Readonly<Record<BoilerplateKind, number>> = {
  navigation: 0.15,
  footer: 0.8,
  comments: 1,
  related: 0.4,
  share: 0.2,
  newsletter: 0.35,
  promotion: 0.35,
  advertising: 0.25,
  consent: 0.9,
  policy: 0.35,
  overlay: 0.4,
  sidebar: 0.35,
  author: 0.15,
  meta: 0.1,
  sources: 0.4,
  caption: 0.2,
  form: 0.15,
  teasers: 0.5,
}

/** Names that publishing systems use for the text itself. */
export const contentWords =
  'entry content|post content|article body|articlebody|article content|article text|post body|postbody|post text|' +
  'story body|storybody|story content|story text|body copy|bodytext|body text|main content|maincontent|' +
  'mw parser output|rich text|richtext|prose|markdown body|field name body|content body|page content|blog content|' +
  'text content|td post content|single content|article copy|articletext|article main|content article|' +
  'available content|body markup|markup|post entry|entry|e content|postcontent|entrycontent|article detail|' +
  'news text|newstext|blog post|rte|wysiwyg|copy'
