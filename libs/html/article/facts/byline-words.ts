/** Words in and around bylines: tables. */

/** Links to more of an author: "View all posts by Ada Lovelace". */
export const listing =
  /^(?:(?:view|see|read|show|browse)\s)?(?:all|more|other)\s.{0,30}?\b(?:by|from|about)\s+/i

const alternatives = (...lists: string[]): string => `(?:${lists.join('|')})`

/** Words before the author of an entry, who may be a user: "Submitted by ada on May 3". */
const submitted = alternatives(
  '(?:written|posted|published|created|authored|submitted|started|opened|asked|guest (?:post|article|blog)) by',
  '(?:verfasst|geschrieben|gespeichert|eingereicht|eingestellt|erstellt|veröffentlicht|gepostet) von',
  '(?:publié|écrit|rédigé|soumis|posté|proposé|propos recueillis) par',
  '(?:escrito|publicado|enviado|creado|criado|postado|redactado) por|(?:scritto|pubblicato|inviato|postato) da',
  '(?:geschreven|geplaatst|ingezonden|gepost) door|(?:skriven|skrevet|publicerad|publisert) av|skrevet af',
)

/** Labels of an author that need a colon, because they are words of sentences too. */
const labels = alternatives(
  'كتبت?|الكاتب|نویسنده|texte?|texto|tekst|interview|entrevista|yazar|yazan|szerző|kirjoittaja|teksti|penulis|tác giả|текст|ライター|投稿者|文責',
)

/** Words before the name of an author. */
export const opening = new RegExp(
  `^(?:${alternatives(
    submitted,
    '(?:(?:reviewed|story|words|text|reported|articles?|report|edited|contributed)\\s+)?by',
    '(?:thread|topic) (?:starter|author)|authors?|written|von|par|por|di|door|av|af|przez|oleh',
    `${labels}(?=\\s*[:：]|\\s+(?:by|von|par|por|di)\\s)`,
    'autor(?:in|en|es|a)?|auteur|autore|redaktion|ein(?:e|en)? .{0,30} von|a cura di',
    'автор|بقلم|מאת|लेखक|โดย|著者|作者|文|執筆|筆者|記者|记者|撰文|取材',
  )})(?:\\((?:s|in|en|es|a)\\))?(?:\\s*[:：]\\s*|\\s+|$)`,
  'i',
)

/** Matches the words before an author who may be a user. */
export const ofUser = new RegExp(`^${submitted}\\s`, 'i')

/** The beginning of a line below a text that introduces its author. */
export const closing =
  /^(?:(?:this )?(?:article|story|post|guide) (?:was )?(?:written )?by|written by|about the authors?|verfasst von|geschrieben von|über (?:den autor|die autorin)|(?:article )?(?:écrit|rédigé) par|à propos de l['’]auteur|escrito por|sobre (?:el|la|o|a) autora?|scritto da|(?:informazioni )?sull['’]autore)\b/iu

/** A name with the mark that forums add to the author of the first post: "ada81 Discussion starter". */
export const starter = /^(\S{2,30}) (?:discussion|thread|topic) (?:starter|author)$/i

/** Words before the name of an author, without a space between them ("ByJane Doe"). */
export const glued = /^(?:By|Von|Par|Por)(?=\p{Lu}\p{Ll})/u

/** Matches "This was posted on Monday by ", "03/01/2017 by " and "2017-03-01 来源：新华社 作者：", up to the name. */
export const within =
  /^(?:.{0,40}?\b(?:19|20)\d\d,?\s(?:[/|•·–—-]\s)?(?:by|von|par|por)\s+|.{0,80}?\b(?:written|posted|published|edited|veröffentlicht|publié|publicado)\b.{0,60}?\s(?:by|von|par|por)\s+|.{1,60}?[\s|·•(（/](?:作者|记者|記者|撰文|автор|autor(?:in)?|authors?|auteur|autore)\s?[:：]\s?)/i

/** The end of a name: a mark, a date, a role, a place. */
export const ending =
  /\s*(?:[|•·⋅–—/\n[（［【<]|\((?!\p{L}+\)\s\p{Lu})|\s-\s|,?\s+\p{Nd}|\s+\p{L}{3,9}\.?\s\d{1,2},?\s(?:19|20)\d\d|\s+(?:on|in|at|am|um|le|el|il|op|is|for|from|via|für|about|posted|published|updated|schreibt)\s|\s+(?:For The|Posted|Published|Updated|On|Publiée?|Publicad[oa]|Pubblicato|Veröffentlicht|Aktualisiert|Actualizado|Aggiornato|Mis à jour)\s|\s*@|\bhttps?:|\s+(?:[Ii]n|[Oo]n|[Aa]t|am|le)$|\s+\p{Script=Han}{2,6}[:：]|(?:さん|氏|記者|기자)(?:\s\S+@.*)?$).*$/u

/** A line of only a reporter's name with the word for it behind, and perhaps an address. */
export const reporter = /^\S{1,6}(?:\s\S{1,6})?\s?(?:記者|기자)(?:\s\S+@\S+)?$/u

/** Words in a name that may be in lower case. */
export const particle =
  /^(?:de|da|do|dos|das|del|della|der|den|di|du|van|von|vom|zu|zur|la|le|el|al|bin|ibn|ben|y|e|of|the|und|ten|ter|d'|mc|st|&)$/

/** Names of months, which are not names of people, either alone or with a number. */
export const month =
  /^(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\.?(?:\s*\d.*)?$/i

/** Texts that are not names. */
export const noName =
  /^(?:by|and|und|et|y|e|by\s+.*\bstaff|staff|follow us|learn more|admin|administrator|editor|the editors|redaktion|redaction|redacción|rédaction|author|authors|unknown|anonymous|no author|guest|user|contributor|contributors|share|follow|comments?|read|more|view|posted|updated|published|written|reviewed|menu|home|none|null|undefined|about|email|twitter|facebook|linkedin|instagram|subscribe|reply|name|website|bio|profile|see all.*|all posts.*|more from.*|read more.*|view all.*|about the author|contact\b.*|sign (?:in|up)|log ?(?:in|out)|get started|table of contents|in this article|written by|reviewed by|fact checked.*|medically reviewed.*|last (?:updated|modified|edited)|leave a.*|minutes?|min read|autor|von)$/i

/** Words of roles. A text with one of them describes a person's role. */
export const role =
  /\b(?:reporter|editor|writer|correspondent|journalist|columnist|manager|director|officer|ceo|cto|cfo|founder|specialist|analyst|strategist|consultant|marketing|redakteur(?:in)?|redacteur|redactor|blogger|professor|expert|freelance|contributing|senior|associate|chief|president|head of|chair(?:man|woman|person)?|representative|researcher|scientist|engineer|attorney|lawyer|lecturer|minutes?|reading|read|comments?|posts?|views?|shares?|copyright|photo|image|getty|cookies?|newsletter|january|february|march|(?<=\s)(?:april|june|august)|july|september|october|november|december|today|yesterday|ago)\b/i
