// What the tool of the service's own makers does: the whole file into memory, encoding/json, map, marshal, write.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

type realm struct {
	Users []user `json:"users"`
}

type user struct {
	ID            string       `json:"id"`
	Username      string       `json:"username"`
	EmailVerified bool         `json:"emailVerified"`
	FirstName     string       `json:"firstName"`
	LastName      string       `json:"lastName"`
	Email         string       `json:"email"`
	Credentials   []credential `json:"credentials"`
}

type credential struct {
	Type           string `json:"type"`
	SecretData     string `json:"secretData"`
	CredentialData string `json:"credentialData"`
}

type secretData struct {
	Value string `json:"value"`
	Salt  string `json:"salt"`
}

type credentialData struct {
	HashIterations int    `json:"hashIterations"`
	Algorithm      string `json:"algorithm"`
}

type body struct {
	DataOrgs struct {
		Orgs []org `json:"orgs"`
	} `json:"dataOrgs"`
	Timeout string `json:"timeout"`
}

type org struct {
	OrgID      string      `json:"orgId"`
	HumanUsers []humanUser `json:"humanUsers"`
}

type humanUser struct {
	UserID string     `json:"userId"`
	User   importUser `json:"user"`
}

type importUser struct {
	UserName       string          `json:"userName"`
	Profile        profile         `json:"profile"`
	Email          email           `json:"email"`
	HashedPassword *hashedPassword `json:"hashedPassword,omitempty"`
}

type profile struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
}

type email struct {
	Email           string `json:"email"`
	IsEmailVerified bool   `json:"isEmailVerified,omitempty"`
}

type hashedPassword struct {
	Value string `json:"value"`
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(input, output string) error {
	data, err := os.ReadFile(input)
	if err != nil {
		return err
	}
	var from realm
	if err := json.Unmarshal(data, &from); err != nil {
		return err
	}
	users := make([]humanUser, 0, len(from.Users))
	for _, u := range from.Users {
		mapped, err := mapUser(u)
		if err != nil {
			return err
		}
		users = append(users, mapped)
	}
	var to body
	to.DataOrgs.Orgs = []org{{OrgID: "1", HumanUsers: users}}
	to.Timeout = "30m0s"
	written, err := json.Marshal(to)
	if err != nil {
		return err
	}
	return os.WriteFile(output, written, 0o600)
}

func mapUser(u user) (humanUser, error) {
	mapped := humanUser{UserID: u.ID, User: importUser{
		UserName: u.Username,
		Profile:  profile{FirstName: u.FirstName, LastName: u.LastName},
		Email:    email{Email: u.Email, IsEmailVerified: u.EmailVerified},
	}}
	for _, c := range u.Credentials {
		if c.Type != "password" {
			continue
		}
		var secret secretData
		if err := json.Unmarshal([]byte(c.SecretData), &secret); err != nil {
			return mapped, err
		}
		var data credentialData
		if err := json.Unmarshal([]byte(c.CredentialData), &data); err != nil {
			return mapped, err
		}
		hash := fmt.Sprintf("$%s$%d$%s$%s", data.Algorithm, data.HashIterations, secret.Salt, secret.Value)
		mapped.User.HashedPassword = &hashedPassword{Value: hash}
		break
	}
	return mapped, nil
}
