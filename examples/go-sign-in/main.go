// Signs people in with Gatehouse, step by step in docs/guides/go.md.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	issuer = "http://localhost:9000"
	origin = "http://localhost:3000"
	api    = "http://localhost:9001/organization/api/organization/user/allDetails/userId/"
)

var account = template.Must(template.New("account").Parse(`<h1>Hello, {{.Name}}</h1><p>{{.Email}}</p><pre>{{.Details}}</pre>
<form method="post" action="/sign-out"><button>Sign out</button></form>`))

// session is what the application knows of a browser: a sign-in that has begun, then the user.
type session struct {
	state, nonce, verifier string
	user                   *user
}

type user struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Username string `json:"preferred_username"`
	idToken  string
	// http sends the user's access token, and renews it where it has expired.
	http *http.Client
}

type app struct {
	provider *oidc.Provider
	config   oauth2.Config
	// sessions by the value of the cookie. With more than one process, a store of all of them.
	sessions sync.Map
}

func (a *app) find(r *http.Request) session {
	if cookie, err := r.Cookie("session"); err == nil {
		if found, ok := a.sessions.Load(cookie.Value); ok {
			return found.(session)
		}
	}
	return session{}
}

// replace ends the session that the browser had: nobody else knows the value of the new cookie.
func (a *app) replace(w http.ResponseWriter, r *http.Request, next session) {
	if cookie, err := r.Cookie("session"); err == nil {
		a.sessions.Delete(cookie.Value)
	}
	id := rand.Text()
	a.sessions.Store(id, next)
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(origin, "https:")})
}

func (a *app) signIn(w http.ResponseWriter, r *http.Request) {
	begun := session{state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier()}
	a.replace(w, r, begun)
	address := a.config.AuthCodeURL(begun.state, oidc.Nonce(begun.nonce), oauth2.S256ChallengeOption(begun.verifier))
	http.Redirect(w, r, address, http.StatusFound)
}

func (a *app) finish(w http.ResponseWriter, r *http.Request) {
	found, err := a.readAnswer(r, a.find(r))
	if err != nil {
		log.Print(err)
		http.Error(w, "The sign-in failed. Begin again at "+origin, http.StatusBadRequest)
		return
	}
	a.replace(w, r, session{user: found})
	http.Redirect(w, r, "/account", http.StatusFound)
}

func (a *app) readAnswer(r *http.Request, begun session) (*user, error) {
	if begun.state == "" || r.FormValue("state") != begun.state {
		return nil, errors.New("the sign-in began in another browser, or long ago")
	}
	if fault := r.FormValue("error"); fault != "" {
		return nil, fmt.Errorf("%s: %s", fault, r.FormValue("error_description"))
	}
	token, err := a.config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(begun.verifier))
	if err != nil {
		return nil, err
	}
	raw, _ := token.Extra("id_token").(string)
	idToken, err := a.provider.Verifier(&oidc.Config{ClientID: a.config.ClientID}).Verify(r.Context(), raw)
	if err != nil {
		return nil, err
	}
	info, err := a.provider.UserInfo(r.Context(), oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != begun.nonce || info.Subject != idToken.Subject {
		return nil, errors.New("the ID token is of another sign-in")
	}
	found := &user{idToken: raw, http: a.config.Client(context.Background(), token)}
	return found, info.Claims(found)
}

func (a *app) show(w http.ResponseWriter, r *http.Request) {
	user := a.find(r).user
	if user == nil {
		http.Redirect(w, r, "/sign-in", http.StatusFound)
		return
	}
	answer, err := user.http.Get(api + url.PathEscape(user.Username))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	details, _ := io.ReadAll(answer.Body)
	account.Execute(w, map[string]string{"Name": user.Name, "Email": user.Email, "Details": string(details)})
}

func (a *app) signOut(w http.ResponseWriter, r *http.Request) {
	var metadata struct {
		Address string `json:"end_session_endpoint"`
	}
	query := url.Values{"post_logout_redirect_uri": {origin + "/"}, "client_id": {a.config.ClientID}}
	if user := a.find(r).user; user != nil {
		query.Set("id_token_hint", user.idToken)
	}
	a.replace(w, r, session{})
	a.provider.Claims(&metadata)
	http.Redirect(w, r, metadata.Address+"?"+query.Encode(), http.StatusSeeOther)
}

func main() {
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		log.Fatal(err)
	}
	a := &app{provider: provider, config: oauth2.Config{
		ClientID:     "my-go-app",
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  origin + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}}
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<h1>My application</h1><a href="/account">My account</a>`)
	})
	http.HandleFunc("GET /sign-in", a.signIn)
	http.HandleFunc("GET /callback", a.finish)
	http.HandleFunc("GET /account", a.show)
	http.HandleFunc("POST /sign-out", a.signOut)
	log.Print("Open ", origin)
	log.Fatal(http.ListenAndServe("localhost:3000", nil))
}
