/** Texts that are on many pages and belong to none of them: patterns that match a whole block. */

const anyOf = (...patterns: string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})[\\s.:!…»›→>]*$`, 'iu')

/** Labels of the page's own functions, on a separate line. */
export const standing = anyOf(
  'advertisements?|advertising|sponsored|paid content|werbung|anzeigen?|publicité|publicidad|pubblicità|publicidade|реклама|広告|pr',
  '(?:share|save|print|email|e-mail|copy link|tweet|pin|like|follow|comment|reply|report|close|menu|home|search|back|next|previous|top|edit|skip)(?: (?:this(?: (?:article|story|post|page))?|us|it))?',
  'share (?:this|on|via) .{0,40}|teilen|drucken|merken|partager|imprimer|compartir|condividi|compartilhar|シェア',
  'loading.{0,20}|follow (?:us|me|@).{0,60}|sign ?up|sign ?in|log ?in|subscribe(?: now| today)?',
  'read (?:more|next|full story|full article|also)(?: ?:.{0,80})?|read (?:more|the full) .{0,80}|continue reading.{0,60}|learn more|find out more|see more|show more|view all|see all|click to expand',
  '(?:weiter|mehr) ?lesen|mehr (?:dazu|zum thema|anzeigen).{0,60}|lesen sie (?:auch|mehr|hier).{0,100}|lire (?:aussi|la suite|plus|également).{0,100}|à lire (?:aussi|également).{0,100}',
  'le(?:e|a|er) (?:también|más|mais|tambien).{0,100}|leia (?:também|mais).{0,100}|leggi anche.{0,100}|(?:lees|bekijk) (?:ook|meer).{0,100}|veja (?:também|mais).{0,100}|saiba mais.{0,100}|(?:prze)?czytaj (?:także|też|również|więcej).{0,100}|zobacz (?:także|też|również).{0,100}|läs (?:också|även|mer).{0,100}|les (?:også|mer).{0,100}|læs (?:også|mere).{0,100}|читайте (?:также|ещё|еще|далее).{0,100}|читати далі.{0,60}|читайте також.{0,100}|続きを読む|関連記事.{0,60}|あわせて読みたい.{0,60}|(?:相关|相關|延伸|推荐|推薦)(?:阅读|閱讀|新闻|新聞|文章)(?:[:：].{0,100})?|관련 ?기사.{0,60}',
  '(?:اقر(?:أوا|ئوا|أ)|بیشتر بخوانید|بخوانید|همچنین بخوانید|קרא[ו]? (?:גם|עוד)|यह भी पढ़ें|ये भी पढ़ें|आगे पढ़ें|อ่านเพิ่มเติม|อ่านต่อ|ข่าวที่เกี่ยวข้อง|xem thêm|đọc thêm|baca (?:juga|selengkapnya)|διαβάστε (?:επίσης|ακόμα|ακόμη|περισσότερα)|čtěte (?:také|dále|více)|přečtěte si (?:také|i|více)|čítajte (?:aj|viac)|prečítajte si (?:aj|viac)|olvass(?:a)? (?:el ezt is|tovább)|kapcsolódó(?: cikkek)?|citește (?:și|mai mult)|citeşte (?:şi|mai mult)|прочетете (?:още|също)|pročitajte (?:i|još|više)|lue (?:myös|lisää)|ayrıca okuyun|devamını oku|ilgili haber(?:ler)?)(?:(?:\\s|:).{0,100})?',
  '(?:(?:story|article) )?(?:continues|continued) below.{0,40}|(?:also|must|further) read(?: ?[:|–-].{0,100})?|was this (?:page |article |post |answer )?(?:helpful|useful)\\??|rate this (?:article|page|post|recipe)',
  'related(?: (?:articles?|posts?|stories|content|topics?|news|links?|reading))?|you (?:may|might) (?:also )?(?:like|be interested).{0,80}|see also|recommended(?: for you)?',
  '(?:tags?|topics?|filed under|categories|category|posted in|schlagwörter|schlagworte|stichworte|themen|étiquettes|etiquetas|mots-clés|archivado en|publicado en|classé dans|archiviato in|categorie|categorías?|catégories?|trefwoorden|tagi|теги|метки|标签|關鍵字|关键词|タグ|キーワード)\\s*[:：]?.{0,120}',
  'table of contents|contents|in this article|on this page|jump to.{0,40}|skip to.{0,40}|inhalt|inhaltsverzeichnis|sommaire|índice|目次',
  '(?:leave|post|add|write) a (?:comment|reply|review).{0,40}|\\d* ?(?:comments?|replies|kommentare?|commentaires?|comentarios?)|be the first to comment|join the (?:conversation|discussion)|view comments|no comments.{0,20}',
  'by|von|par|por|di|author|about the author|written by|published(?: on| by)?|updated(?: on)?|last (?:updated|modified|edited|reviewed).{0,40}|posted (?:on|by|in).{0,60}|date',
  '\\d+\\s*(?:[-–] ?)?min(?:ute)?s?\\.?(?:[ -]?(?:read|reading time|lesezeit|de lecture|de lectura|di lettura))?|(?:estimated )?(?:reading time|lesezeit|lesedauer|temps de lecture|tiempo de lectura)\\s*:?.{0,30}',
  '(?:image|photo|photos|picture|bild|foto|fotos|crédit|credit|credits|source|quelle|źródło|fonte|fuente|bron|källa|kilde|фото|источник|来源|來源)(?: (?:by|credit|credits|courtesy(?: of)?|source|via|von))?\\s*[:：/©].{0,80}|photo(?:s|graphs?)? (?:by|courtesy).{0,80}',
  '©.{0,150}|copyright .{0,150}|.{0,60}all rights reserved.{0,60}|.{0,40}alle rechte vorbehalten.{0,40}|tous droits réservés.{0,60}',
  'powered by .{0,40}|(?:view|see) (?:profile|website|map).{0,30}|view full details|buy now.{0,30}|shop now.{0,30}|add to (?:cart|basket|bag|wishlist|calendar)|check price.{0,30}|get (?:started|a quote|in touch)',
  '[（(【]?(?:责任编辑|責任編輯|编辑|編輯|责编|审核|校对)\\s*[:：].{1,20}[）)】]?|(?:分享到?|分享至|поделиться|condividi su|compartir en|partager sur|udostępnij|dela|delen|deel dit .{0,30}|compartilhe.{0,30}|comparte.{0,30})(?:\\s*[:：].{0,40})?',
  '(?:image|photo|slide|picture|bild|foto|page|seite)?\\s?\\d+ (?:of|von|sur|de|di|van|av|из|z) \\d+|\\d[\\d.,]*\\s?[km]?\\s(?:shares?|likes?|claps?|reads?|reactions?)|\\d[\\d.,]*\\s?[km]',
  'you must (?:be logged|log) in .{0,60}|not open for further replies|#?\\d+\\s*·?',
  'news provided by|0?0:00(?::00)?\\s*/?\\s*\\d{1,2}(?::\\d\\d){1,2}',
)

/** Returns whether a text is a number, for example a count or the number of a post. */
export const isNumber = (text: string): boolean => /^#?\d+(?:\s*·)?$/.test(text)

/** A year with four digits, or with two in "12-March 10", "Mar '10" and "12.03.10". */
const year =
  "(?:19|20)\\d\\d|\\d\\d?[ .-]\\p{L}{3,9}\\.?[ .-]\\d\\d\\b|'\\d\\d\\b|\\d\\d?([./-])\\d\\d?\\1\\d\\d\\b"

/** Texts of a forum beside each post, on separate lines: facts about the author. */
export const besidePost = anyOf(
  `(?:joined|join date|member since|registered(?: on)?)\\s*:(?=.{0,30}(?:${year})).{4,40}|` +
    '(?:posts|messages)\\s*:\\s*[\\d,.]+|registered (?:user|member)',
)

const counted =
  '(?:views?|repl(?:y|ies)|participants?|posts?|posters?|watching|likes?|links?|users?|members?|answers?|votes?)'

/** Lines of a forum about posts: the link to a post with its number or day, counts, edits and notices to its users. */
export const aboutPosts = anyOf(
  `#\\d+\\s*\\|?\\s*(?:perma)?link|#\\d+\\s*·(?=.{0,20}(?:${year})).{4,30}`,
  `(?:\\d[\\d.,]*\\s?[km]?\\s${counted}(?:\\s?[·•|,])?\\s?){1,6}(?:last post by .{1,60})?`,
  `(?:last )?edited(?: by .{1,40})?\\s*:?\\s(?=.{0,30}(?:${year})).{4,60}|(?:show|load) (?:more|all|\\d+) repl(?:y|ies)|sort(?:ed)? by:?\\s.{1,60}`,
  '(?:start asking to get answers|find the answer to your question by asking|explore related questions|see similar questions with these tags|you must log in to answer this question)',
  '(?:this (?:topic|thread) was automatically (?:closed|locked)|(?:this|the) (?:topic|thread) (?:is|has been) (?:closed|locked|archived)|new replies are no longer allowed).{0,120}',
  'reply with quote|multi-?quote|quote(?: (?:this )?(?:post|message))?|reply to this (?:post|topic)',
  'code:\\s*(?:\\[)?select all\\]?|sorted by',
  '.{1,60} has marked this (?:topic|thread|question) as (?:solved|answered).{0,40}',
)

export const userLocation = /^location\s*:.{0,60}$/i

/** Labels of the facts about an author of posts, in lists of their own. */
export const userLabel = anyOf(
  '|join(?:ed)?(?: date)?|member since|registered(?: on)?|(?:forum )?posts|messages|threads|topics|solutions|points|trophy points',
  '(?:reaction score|reactions?|likes(?: received)?|thanks|(?:thumbs up|kudos) received|reputation|rep power|karma|rank|age|gender|location|from|country|first name|real name|occupation)',
  'beiträge|registriert(?: seit)?|dabei seit|mitglied seit|punkte|reaktionen|ort|wohnort|inscrit(?: le)?|inscription|localisation|mensajes|registrado|desde|ubicación|messaggi|registrato|località',
)

/** Notices of a site in a comment area, on a separate line. */
export const commentNotice = anyOf(
  '(?:there are |we have )?(?:no|0) (?:comments?|replies|responses)(?: (?:yet|so far|posted|found|(?:on|to) .{0,80}))?(?:[.!,;–-] ?.{0,80})?|be the first (?:one )?to (?:comment|reply|write|review|share|post|leave|start).{0,60}',
  '(?:the )?(?:comments?|commenting|discussion|replies)(?: (?:section|thread|(?:for|on) this (?:article|post|entry|page)))* (?:is|are|has been|have been|were|was|will be) (?:now |currently )?(?:closed|disabled|off|turned|open|moderated|loading|not|subject|reviewed|approved|unavailable|temporarily|held|published|restricted|limited).{0,120}',
  '(?:\\d+|one|two|three) (?:comments?|thoughts?|replies|responses|reviews?)(?: (?:on|to|for|so far|about) .{0,120})?|(?:comments?|replies|responses|discussion)(?: ?[(:] ?\\d+ ?[):]?)?(?: (?:on|to) .{0,120})?',
  '(?:please )?(?:log|sign) ?in (?:to|or|with|and) .{0,80}|you (?:must|need to|have to) (?:be|first|log|sign|register|have an).{0,80}|(?:please )?(?:register|subscribe) (?:to|or|and) .{0,60}',
  '(?:sort(?:ed)?|order(?:ed)?) by.{0,40}|newest|oldest|most (?:recent|liked|popular|relevant)|(?:newest|oldest|best|top) (?:comments?|first)|(?:load|loading|show|view|see|read|hide)(?: (?:more|all|the|older|newer|previous|\\d+))* (?:comments?|replies|responses).{0,10}',
  'your (?:e-?mail|name)(?: address)?(?: .{0,120})?|your (?:comment|review) (?:is|will|has to|must) (?:be|await).{0,80}|(?:all )?(?:required )?fields (?:are|marked).{0,60}|required|optional|(?:please )?enable javascript .{0,80}|this site (?:uses|is protected) .{0,160}|notify me .{0,80}|save my name.{0,120}',
  '(?:add|leave|write|post|submit|share|join|start)(?: (?:us|your|a|an|the|own))* (?:thoughts?|opinions?|comments?|reply|review|feedback|discussion|conversation)(?: (?:below|here|on|in|about|with) .{0,60}| below| here)?|(?:tell|let) us (?:know )?what you think.{0,60}',
  '(?:bisher |es gibt )?(?:noch )?keine kommentare.{0,60}|(?:die )?kommentar(?:e|funktion)? (?:sind|ist|wurden?) .{0,80}|sei(?:en sie)? (?:der|die) erste.{0,60}|\\d+ kommentare?.{0,60}|kommentare?(?: \\(\\d+\\))?|(?:bitte )?(?:melden? sie sich|einloggen|anmelden).{0,80}|schreib(?:en sie)? (?:einen|deinen|ihren) kommentar.{0,40}|deine e-mail.{0,120}|du musst (?:angemeldet|eingeloggt|dich).{0,60}',
  '(?:aucun|pas encore de|il n.y a (?:pas|aucun)) .{0,20}commentaires?.{0,60}|les commentaires sont .{0,60}|soyez le premier.{0,60}|laisse[rz] un commentaire.{0,40}|\\d+ commentaires?.{0,80}|connectez-vous (?:pour|ou).{0,60}|votre adresse.{0,120}',
  '(?:no hay|sin|ningún|todavía no hay|nenhum|sem|nessun|ancora nessun) (?:comentarios?|comentários?|commento).{0,60}|(?:los |os |i )?(?:comentarios|comentários|commenti) (?:est[áa]n|est[ãa]o|sono) .{0,60}|s[eé] el primero.{0,60}|seja o primeiro.{0,60}|\\d+ (?:comentarios?|comentários?|commenti|commento).{0,80}|(?:tu|su) dirección .{0,120}|debes (?:iniciar|estar|registrar).{0,80}|dej[aáe] (?:tu|un|una) (?:comentario|respuesta|opini[oó]n).{0,40}',
  '(?:全部|最新|热门|查看|发表)?(?:评论|評論|留言).{0,10}|(?:没有|暂无|还没有)(?:更多|评论|評論|留言).{0,20}|快来.{0,20}|コメント(?:する|一覧|欄.{0,20}|を(?:書く|残す|投稿).{0,20}|はまだ.{0,20})?',
  '(?:reply|antworten|répondre|responder|rispondi|odpowiedz)(?: (?:to|an|à|a) .{0,60})?|(?:.{0,40}[,·|@] ?)?(?:posted )?(?:on |at )?(?:\\d+ \\p{L}+ ago|vor \\d+ \\p{L}+|il y a \\d+ \\p{L}+|hace \\d+ \\p{L}+|just now|yesterday)',
)

/** Returns whether a text is about the page, its publisher or its revenue. */
export const isDisclosure = (text: string): boolean => ofDisclosure.test(text) && disclosure.test(text)

/** Words that are faster to search. Every such text has at least one of them. */
const ofDisclosure =
  /commission|compensation|affiliate|chosen|selected|reviewed|vetted|editorially|paid links|amazon/i

const disclosure =
  /(?:(?:we|i|site|publisher) (?:may|might|could|can|will)? ?(?:also )?(?:earn|receive|get|make) (?:an? )?(?:affiliate |small )?(?:commission|compensation)|affiliate (?:links?|commission|disclosure|partner)|(?:independently|carefully) (?:chosen|selected|reviewed)|(?:chosen|selected|reviewed|vetted) (?:independently )?by (?:our|an? [\w ]{2,30}) editors?|editorially independent|paid links|as an amazon associate)/i

/** Requests to readers to do something on the site. */
export const invitation =
  /^(?:(?:please )?(?:sign up|subscribe|register|log in|join (?:us|our|the)|follow us|get (?:the|our) (?:latest|best|free|daily|weekly)|download (?:our|the) app|click (?:here|below|the)|like us|share (?:this|your)|support (?:our|us|independent)|become a (?:member|paid|subscriber|supporter)|contact us|call us|stay (?:up to date|informed|tuned)|don'?t miss|never miss|enter your email|want (?:more|to (?:read|learn|get))|enjoy(?:ed)? (?:this|reading)|was this (?:article|page|helpful|newsletter)|(?:thank you|thanks) for (?:reading|subscribing|signing|listening|watching)|have (?:a|an) (?:tip|story|question)|do you have|this (?:article|story|post|piece) (?:was|has been|originally|first|is part)|originally published|the views? expressed|the opinions? expressed|views expressed|opinions expressed)\b|abonnieren sie|jetzt (?:anmelden|abonnieren|registrieren)|melden sie sich|inscrivez-vous|abonnez-vous|suscríbete|suscríbase|síguenos|iscriviti|seguici|inscreva-se|assine (?:a|o|nossa)|siga-nos|abonneer|volg ons|schrijf je in|zapisz się|obserwuj nas|prenumerera på|följ oss|подписывайтесь|подпишитесь|підписуйтесь|关注(?:我们|公众号)|扫码关注)/i

/** Headings of sections that do not belong to the text, at any position. */
export const asideHeading = anyOf(
  '(?:related|recommended|popular|recent|latest|trending|similar|more|other|featured|suggested|further)(?: \\p{L}+){0,3} (?:articles?|posts?|stories|content|topics?|news|links?|reading|reads|resources|products|videos?|pages|guides|threads|questions|entries)',
  'you (?:may|might) (?:also )?(?:like|enjoy|be interested in).{0,40}|read (?:next|more|also).{0,40}|more (?:from|on|in|about|like) .{0,60}|what to read next|keep reading|up next|most (?:read|popular|viewed)|trending(?: now)?|see also|don.?t miss',
  'about the authors?|about (?:us|me)|about .{0,20}author|meet the author|written by|author(?: bio)?|über (?:den autor|die autorin|uns)|à propos(?: de l.auteur)?|sobre (?:el autor|nosotros)',
  'share (?:this|on|your).{0,40}|follow us.{0,40}|(?:subscribe|sign up|newsletter|join our|get our).{0,60}|stay (?:connected|updated|in touch|informed).{0,30}',
  '(?:\\d+ )?(?:comments?|replies|responses|kommentare?|commentaires|comentarios|commenti)(?: ?\\(?\\d*\\)?)|leave a (?:comment|reply).{0,30}|post a comment|add a comment|join the (?:conversation|discussion).{0,30}|reader interactions|schreibe einen kommentar.{0,30}|laisser un commentaire.{0,30}|deja una respuesta.{0,30}',
  '(?:das )?könnte (?:sie|dich|dir) auch.{0,40}|mehr (?:zum thema|aus|von).{0,60}|ähnliche (?:artikel|beiträge|themen)|weitere (?:artikel|beiträge|themen|meldungen|nachrichten|informationen).{0,30}|verwandte (?:artikel|themen|beiträge)|auch interessant|lesen sie auch|meistgelesen',
  '(?:à lire|lire) (?:aussi|également).{0,40}|articles? (?:similaires|liés|associés|connexes)|sur le même (?:sujet|thème)|dans la même rubrique',
  '(?:artículos|noticias|entradas) relacionad[oa]s|te puede interesar|lee también|más (?:noticias|información|sobre).{0,30}|articoli correlati|leggi anche|leia também|関連(?:記事|リンク|ニュース|情報).{0,20}|おすすめ.{0,20}|人気記事.{0,20}|ランキング',
  '(?:gerelateerde?|meest gelezen|lees ook|relaterat|relaterte|läs också|mest (?:läst|lest|læst)a?|powiązane|przeczytaj także|zobacz także|notícias relacionadas|mais lidas|veja também|articles? les plus lus|les plus lus|lo más leído|più letti|potrebbe interessarti)(?: \\p{L}+){0,3}',
  '(?:читайте также|похожие (?:статьи|материалы|новости)|другие новости|материалы по теме|популярное|相关(?:阅读|新闻|文章|推荐)|推荐阅读|延伸阅读|热门(?:文章|新闻|推荐)|관련 ?기사|많이 본 (?:뉴스|기사))',
  'your answer|not the answer you.?re looking for.{0,100}|who is online|also (?:from|on|by) .{0,60}',
  'navigation|footer|social media|advertisements?|quick links',
)

/** Headings of a section that belongs to the site only if most of it is links. */
export const linksHeading = anyOf(
  'tags?|categories|archives?|menu|search|contact(?: us)?|kontakt|sponsors?|partners?',
)

/** Headings of the sources after the text. */
export const sourceHeading = anyOf(
  'references?|sources?|bibliography|works cited|citations?|footnotes|endnotes|literature cited|external links',
  'quellen(?:angaben|verzeichnis)?|literatur(?:verzeichnis)?|einzelnachweise|anmerkungen|fußnoten|weblinks|références|notes et références|bibliographie|referencias|bibliografía|fonti|riferimenti|脚注|参考文献|出典|外部リンク',
)
