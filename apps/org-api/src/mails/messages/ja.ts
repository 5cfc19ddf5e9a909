import type { MailMessages } from './en.ts';

export const ja: MailMessages = {
  language: 'ja',
  frame: {
    account: 'アカウント：{username}',
    organization: '組織：{organization}',
    time: '日時：{time}',
    browser: 'ブラウザー：{browser}',
    network: 'ネットワーク：{network}',
    until: 'リンクは 1 回だけ、{time}まで使用できます。',
    ignore: 'お心当たりがない場合は、このメールを無視してください。リンクを使わない限り、何も変更されません。',
    fine: 'ご自身による操作であれば、何もする必要はありません。',
    notYou: 'ご自身による操作でない場合は、サインインしてパスワードを変更し、セッションを確認してください：',
    help: 'ヘルプ：',
    automatic: 'このメールは自動的に送信されました。返信を読む人はいません。',
  },
  links: {
    reset: {
      subject: '新しいパスワードの設定',
      text: 'どなたか（おそらくお客様ご自身）が、新しいパスワードを請求しました。次のリンクで設定してください：',
    },
    verify: {
      subject: 'メールアドレスの確認のお願い',
      text: 'このアドレスがお客様のものであることを確認してください：',
    },
    invitation: {
      subject: 'アカウントへのご招待',
      text: 'お客様のアカウントが作成されました。次のリンクでサインインの方法を選択してください：',
    },
  },
  notices: {
    password_changed: { subject: 'パスワードが変更されました', text: 'お客様のパスワードが変更されました。' },
    passkey_added: {
      subject: 'パスキーが追加されました',
      text: 'お客様のアカウントにパスキーが追加されました：{name}。',
    },
    passkey_removed: {
      subject: 'パスキーが削除されました',
      text: 'お客様のアカウントからパスキーが削除されました：{name}。',
    },
    code_app_added: {
      subject: 'コードアプリが設定されました',
      text: 'お客様のアカウントにコードアプリが設定されました。',
    },
    code_app_removed: {
      subject: 'コードアプリが削除されました',
      text: 'お客様のアカウントのコードアプリが削除されました。',
    },
    recovery_codes_made: {
      subject: '新しい回復コードが作成されました',
      text: 'お客様のアカウントに新しい回復コードが作成されました。以前のコードはもう使用できません。',
    },
    recovery_code_used: {
      subject: '回復コードが使用されました',
      text: 'お客様のアカウントへのサインインに回復コードが使用されました。残りは {left} 個です。',
    },
    password_known: {
      subject: 'パスワードを誰かに知られている可能性があります',
      text: '誰かがお客様の正しいパスワードを入力した後、コードの入力を何度も間違えました。2 段階目によってサインインは防がれました。パスワードを変更してください。',
    },
    counter_behind: {
      subject: 'パスキーが拒否されました',
      text: 'お客様のアカウントのパスキーが拒否されました。複製がある可能性があります。そのパスキーを削除し、新しいパスキーを作成してください。',
    },
    email_changed: {
      subject: 'メールアドレスが変更されました',
      text: 'お客様のアカウントのメールアドレスが {before} から {after} に変更されました。',
    },
  },
};
